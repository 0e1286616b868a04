/*-------------------------------------------------------------------------
 *
 * settings_shipping.h
 *	  Send the session's settings to foreign servers.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SETTINGS_SHIPPING_H
#define SETTINGS_SHIPPING_H

#include "nodes/supportnodes.h"

/*
 * Return an expression equivalent to the call in request, with sub-selects for
 * the settings that it depends on, or NULL to leave the call as it is.  Never
 * fails.  The result is immutable up to its sub-selects and is allocated in
 * the current memory context; parts of the call are shared, not copied.  Sets
 * hasSubLinks of the query.
 */
extern Node *ship_settings(SupportRequestSimplify *request);

#endif							/* SETTINGS_SHIPPING_H */
