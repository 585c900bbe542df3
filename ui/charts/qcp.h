// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// QCustomPlot, for .cpp files of this folder only. Its header uses Qt's foreach, which this project turns
// off; a range-for does the same there.
#ifdef foreach
#error "foreach is turned off by QT_NO_FOREACH"
#endif
#define foreach(variable, container) for (variable : container)
#include <qcustomplot.h>
#undef foreach
