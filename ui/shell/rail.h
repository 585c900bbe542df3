// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/glyphs.h"

#include <QAbstractButton>
#include <QWidget>

#include <vector>

namespace yardmaster::ui {

/// One page in the rail: icon, name, and a count with its glyph.
class RailItem final : public QAbstractButton {
    Q_OBJECT
public:
    RailItem(const QString& id, const QString& title, const QString& iconName, QWidget* parent);

    [[nodiscard]] const QString& id() const { return m_id; }
    void setBadge(Glyph glyph, int count);
    void setCompact(bool compact);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_id, m_iconName;
    Glyph m_badge = Glyph::None;
    int m_count = 0;
    bool m_compact = false;
};

/// The list of pages at the left: 168 px, or 48 with icons only.
class Rail final : public QWidget {
    Q_OBJECT
public:
    explicit Rail(QWidget* parent = nullptr);

    RailItem* addPage(
        const QString& id, const QString& title, const QString& iconName, const QString& toolTip);
    [[nodiscard]] RailItem* item(const QString& id) const;
    void setCurrent(const QString& id);
    void setCompact(bool compact);
    [[nodiscard]] bool isCompact() const { return m_compact; }

signals:
    void pageWanted(const QString& id);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    std::vector<RailItem*> m_items;
    bool m_compact = false;
};

} // namespace yardmaster::ui
