// All records, for those who encode, decode or visit a Record. Code that uses some kinds only
// includes their headers.
#pragma once

#include "protocol/messages/device_records.h"
#include "protocol/messages/epoch_records.h"
#include "protocol/messages/event_records.h"
#include "protocol/messages/group_records.h"
#include "protocol/messages/rank_records.h"
#include "protocol/messages/record_types.h"
#include "protocol/messages/step_records.h"
