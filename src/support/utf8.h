/*-------------------------------------------------------------------------
 *
 * utf8.h
 *	  Bytes of strings, and their conversion to UTF-8 and back.
 *
 *-------------------------------------------------------------------------
 */
#ifndef UTF8_H
#define UTF8_H

extern char *bytes_to_utf8(const char *bytes, Size len, Size *utf8_len);
extern text *utf8_to_text(const char *utf8, Size len);
extern void report_not_utf8(void);

#endif							/* UTF8_H */
