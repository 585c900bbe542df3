// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/glyphs.h"

#include <QAbstractButton>
#include <QPushButton>

namespace yardmaster::ui {

/// The target the console looks at: its name, its system, a chevron.
class TargetBox final : public QAbstractButton {
    Q_OBJECT
public:
    explicit TargetBox(QWidget* parent = nullptr);
    void setTarget(const QString& name, const QString& system);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_system;
};

/// Looks like a search field and opens the command palette.
class PaletteButton final : public QPushButton {
    Q_OBJECT
public:
    explicit PaletteButton(QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
};

/// Live, with a disc; or Paused, with what came since.
class LiveChip final : public QPushButton {
    Q_OBJECT
public:
    explicit LiveChip(QWidget* parent = nullptr);
    void setState(bool live, std::uint64_t missedSamples);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    bool m_live = true;
    QString m_more;
};

} // namespace yardmaster::ui
