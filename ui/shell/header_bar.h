// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <vector>

class QMenu;
class QPushButton;
class QToolButton;

namespace yardmaster::ui {

class ConsoleSession;
class GlyphLabel;
class Tag;
class TargetBox;
class TextLabel;

/// The bar over every page: menu, target, PROD, link state, palette, time range, Live or Paused.
class HeaderBar final : public QWidget {
    Q_OBJECT
public:
    HeaderBar(ConsoleSession* session, QMenu* menu, QWidget* parent = nullptr);

    /// Link text and counts; twice a second and on changes.
    void refresh();
    void openMenu();
    [[nodiscard]] QString linkText() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeRange();
    void updateRange();
    void updateLive();
    void openTargetMenu();

    ConsoleSession* m_session;
    QMenu* m_menu;
    QToolButton* m_menuButton;
    TargetBox* m_target;
    Tag* m_production;
    Tag* m_readOnly;
    GlyphLabel* m_linkGlyph;
    TextLabel* m_link;
    QPushButton* m_palette;
    QWidget* m_range;
    std::vector<std::pair<std::int64_t, QPushButton*>> m_rangeButtons; ///< 0: custom
    QPushButton* m_live;
    QPushButton* m_resume;
};

} // namespace yardmaster::ui
