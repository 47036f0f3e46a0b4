// Includes all records, for code that encodes, decodes or visits a Record. Code that uses only some
// types includes their headers.
#pragma once

#include "protocol/messages/device_records.h"
#include "protocol/messages/epoch_records.h"
#include "protocol/messages/event_records.h"
#include "protocol/messages/group_records.h"
#include "protocol/messages/rank_records.h"
#include "protocol/messages/record_types.h"
#include "protocol/messages/step_records.h"
