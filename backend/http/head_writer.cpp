// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/http/head_writer.h"
