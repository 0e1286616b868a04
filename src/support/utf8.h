/*-------------------------------------------------------------------------
 *
 * utf8.h
 *	  Bytes of strings, and their conversion to UTF-8 and back.
 *
 *-------------------------------------------------------------------------
 */
#ifndef UTF8_H
#define UTF8_H

/*
 * Return the bytes of a value of a string type, in the database encoding: text,
 * a type that is binary-coercible to it, character(n) or name.  Trailing blanks
 * of character(n) do not count.  The result is not terminated; it points into
 * the value, or into a detoasted copy in the current memory context.
 */
extern char *utf8_string_bytes(Oid type, Datum value, Size *len);

/* Return true if two texts are equal byte for byte. */
extern bool utf8_same_text(const text *a, const text *b);

/*
 * Convert len bytes in the database encoding to UTF-8; *utf8_len is the length
 * of the result.  Returns bytes itself if there is nothing to convert, and
 * palloc'd memory otherwise.  The result need not be zero-terminated, and in
 * an SQL_ASCII database need not be valid UTF-8.
 */
extern char *utf8_from_bytes(const char *bytes, Size len, Size *utf8_len);

/*
 * Make a text in the database encoding from len bytes of UTF-8, palloc'd.
 * Raises an error for a character that the encoding does not have.
 */
extern text *utf8_to_text(const char *utf8, Size len);

#endif							/* UTF8_H */
