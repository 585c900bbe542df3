// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/focus_ring.h"
#include "ui/theme/style.h"

#include <QApplication>
#include <QLocale>
#include <QTest>

/// main() of a test that needs the console's style and a fixed locale.
#define YARDMASTER_UI_TEST_MAIN(TestClass)                                                                   \
    int main(int argc, char** argv) {                                                                        \
        QApplication application(argc, argv);                                                                \
        QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));                               \
        QApplication::setStyle(new yardmaster::ui::YardmasterStyle(yardmaster::ui::ThemeMode::Light));       \
        new yardmaster::ui::FocusRing(&application);                                                         \
        TestClass test;                                                                                      \
        return QTest::qExec(&test, argc, argv);                                                              \
    }
