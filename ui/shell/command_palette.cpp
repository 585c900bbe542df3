// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/command_palette.h"

#include "ui/theme/controls.h"
#include "ui/theme/search_field.h"
#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QListView>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace yardmaster::ui {

namespace {

enum EntryRole : int { GroupRole = Qt::UserRole + 1, ShortcutRole, ReasonRole, EntryIndexRole };
constexpr int shownRows = 10;

class EntryDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {scaled(200), scaled(30)};
    }

    void paint(
        QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Theme& theme = themeOf(option.widget);
        const bool selected = option.state.testFlag(QStyle::State_Selected);
        painter->save();
        if (selected)
            painter->fillRect(option.rect, theme.color(ColorRole::Selection));
        QRect row = option.rect.adjusted(scaled(14), 0, -scaled(14), 0);
        const QString reason = index.data(ReasonRole).toString();
        const QString shortcut = index.data(ShortcutRole).toString();
        const QString right = !reason.isEmpty() ? reason
            : !shortcut.isEmpty()               ? shortcut
                                                : index.data(GroupRole).toString();
        painter->setFont(fontFor(TextStyle::SubTitle));
        painter->setPen(theme.color(ColorRole::Muted));
        const int most = row.width() / 2;
        const QString fitting = painter->fontMetrics().elidedText(right, Qt::ElideRight, most);
        painter->drawText(row, Qt::AlignRight | Qt::AlignVCenter, fitting);
        row.setRight(row.right() - painter->fontMetrics().horizontalAdvance(fitting) - scaled(12));
        painter->setFont(fontFor(TextStyle::Body));
        painter->setPen(theme.color(!reason.isEmpty() ? ColorRole::Muted
                : selected                            ? ColorRole::SelectionText
                                                      : ColorRole::Text));
        painter->drawText(row, Qt::AlignLeft | Qt::AlignVCenter,
            painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, row.width()));
        painter->restore();
    }
};

} // namespace

int matchScore(const QString& text, const QString& typed) {
    if (typed.isEmpty())
        return 1;
    if (text.startsWith(typed, Qt::CaseInsensitive))
        return 5;
    if (text.contains(u' ' + typed, Qt::CaseInsensitive))
        return 4;
    if (text.contains(typed, Qt::CaseInsensitive))
        return 3;
    const QStringList words = typed.split(u' ', Qt::SkipEmptyParts);
    if (words.size() > 1 && std::all_of(words.begin(), words.end(), [&text](const QString& word) {
            return text.contains(word, Qt::CaseInsensitive);
        }))
        return 2;
    int from = 0;
    for (const QChar letter : typed) {
        if (letter.isSpace())
            continue;
        from = static_cast<int>(text.indexOf(letter, from, Qt::CaseInsensitive));
        if (from < 0)
            return 0;
        ++from;
    }
    return 1;
}

CommandPalette::CommandPalette(std::vector<PaletteEntry> entries, QWidget* owner)
    : OverlayDialog(owner, Placement::Top)
    , m_entries(std::move(entries))
    , m_field(new SearchField(tr("Search or run…"), {}, this))
    , m_model(new QStandardItemModel(this))
    , m_list(new QListView(this)) {
    setObjectName(QStringLiteral("command-palette"));
    setAccessibleName(tr("Command palette"));
    setFixedWidth(scaled(560));
    setControlSize(*m_field, ControlSize::Dialog);
    m_field->setFocus();
    m_list->setModel(m_model);
    m_list->setItemDelegate(new EntryDelegate(m_list));
    m_list->setAccessibleName(tr("Matches"));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setUniformItemSizes(true);
    m_list->viewport()->setAutoFillBackground(false);
    m_list->setFixedHeight(scaled(30) * shownRows);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, scaled(12), 1, scaled(8));
    layout->setSpacing(scaled(8));
    auto* fieldRow = new QHBoxLayout;
    fieldRow->setContentsMargins(scaled(12), 0, scaled(12), 0);
    fieldRow->addWidget(m_field);
    layout->addLayout(fieldRow);
    layout->addWidget(m_list);
    m_field->installEventFilter(this);
    connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(m_list, &QListView::clicked, this, &CommandPalette::runCurrent);
    filter();
}

void CommandPalette::filter() {
    std::vector<std::pair<int, std::size_t>> hits;
    const QString typed = m_field->text().trimmed();
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        if (const int score = matchScore(m_entries[i].text, typed); score > 0)
            hits.emplace_back(score, i);
    }
    std::stable_sort(
        hits.begin(), hits.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    m_model->clear();
    for (const auto& [score, i] : hits) {
        const PaletteEntry& entry = m_entries[i];
        auto* item = new QStandardItem(entry.text);
        item->setData(entry.group, GroupRole);
        item->setData(entry.shortcut, ShortcutRole);
        item->setData(entry.reasonAgainst, ReasonRole);
        item->setData(static_cast<qulonglong>(i), EntryIndexRole);
        m_model->appendRow(item);
    }
    if (m_model->rowCount() == 0) {
        auto* none = new QStandardItem(tr("Nothing matches"));
        none->setFlags(Qt::NoItemFlags);
        m_model->appendRow(none);
    }
    m_list->setCurrentIndex(m_model->index(0, 0));
}

QStringList CommandPalette::shownTexts() const {
    QStringList texts;
    for (int row = 0; row < m_model->rowCount(); ++row)
        texts << m_model->item(row)->text();
    return texts;
}

void CommandPalette::runCurrent() {
    const QVariant chosen = m_list->currentIndex().data(EntryIndexRole);
    if (!chosen.isValid())
        return;
    const PaletteEntry entry = m_entries[chosen.toULongLong()];
    if (!entry.reasonAgainst.isEmpty())
        return;
    QWidget* owner = scrim()->window();
    accept();
    // After this dialog is gone: what runs may open the next one.
    QTimer::singleShot(0, owner, entry.run);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const int row = m_list->currentIndex().row();
        switch (key->key()) {
        case Qt::Key_Down:
        case Qt::Key_Up: {
            const int next =
                std::clamp(row + (key->key() == Qt::Key_Down ? 1 : -1), 0, m_model->rowCount() - 1);
            m_list->setCurrentIndex(m_model->index(next, 0));
            return true;
        }
        case Qt::Key_Return:
        case Qt::Key_Enter:
            runCurrent();
            return true;
        case Qt::Key_Escape:
            reject();
            return true;
        default:
            break;
        }
    }
    return OverlayDialog::eventFilter(watched, event);
}

} // namespace yardmaster::ui
