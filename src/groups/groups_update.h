/*-------------------------------------------------------------------------
 *
 * groups_update.h
 *	  Bring groups up to date, from their queue or from the whole table.
 *
 *-------------------------------------------------------------------------
 */
#ifndef GROUPS_UPDATE_H
#define GROUPS_UPDATE_H

#include "fmgr.h"
#include "groups.h"

/*
 * Bring groups up to date.  The caller has become their owner (see
 * groups_names.h) and has not connected to SPI; fcinfo is that of a function of
 * the extension.  Raises an error if the table or a column no longer exists.
 */
extern GroupsResult groups_update(FunctionCallInfo fcinfo, Oid oid);

#endif							/* GROUPS_UPDATE_H */
