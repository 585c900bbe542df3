// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/state/config_state.h"
