/*-------------------------------------------------------------------------
 *
 * settings_shipping.h
 *	  Send the session's settings to foreign servers.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SETTINGS_SHIPPING_H
#define SETTINGS_SHIPPING_H

#include "postgres.h"

#include "nodes/supportnodes.h"

extern Node *ship_settings(SupportRequestSimplify *request);

#endif							/* SETTINGS_SHIPPING_H */
