// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/chart_export.h"
#include "ui/dialogs/overlay_dialog.h"

#include <QPointer>

#include <vector>

class QButtonGroup;
class QComboBox;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace yardmaster::ui {

class ChartView;
class MessageStrip;
class SegmentSwitch;
class TextLabel;

/// Asks how and where to write a chart, writes it off the GUI thread, and says what was written. Stays open
/// for another format, or after a failure with the reason, so that the destination can be changed. To be
/// opened with open(); deletes itself when it is closed.
class ExportDialog final : public OverlayDialog {
    Q_OBJECT
public:
    /// With more than one chart there is a choice among them, the first is chosen.
    ExportDialog(const std::vector<ChartView*>& charts, QWidget* owner);
    ~ExportDialog() override;

    void setFormat(ExportFormat format);
    void setDestination(const QString& path);
    [[nodiscard]] ExportRequest request() const;
    /// What the last export said, error or success; empty before.
    [[nodiscard]] QString message() const;

signals:
    void exported(const QString& path, qint64 bytes);
    void failed(const QString& message);

private:
    [[nodiscard]] QWidget* makeForm();
    [[nodiscard]] QWidget* makeFormats();
    [[nodiscard]] QWidget* makeFoot();
    [[nodiscard]] ChartView* chart() const;
    void updateForChart();
    void updatePath();
    void updateState();
    void browse();
    void start();
    void finish(const QString& path, const Expected<qint64>& written);

    std::vector<QPointer<ChartView>> m_charts;
    TextLabel* m_heading = nullptr;
    QComboBox* m_chartBox = nullptr;
    QButtonGroup* m_formats = nullptr;
    TextLabel* m_hgrmNote = nullptr;
    SegmentSwitch* m_theme = nullptr;
    SegmentSwitch* m_span = nullptr;
    QLineEdit* m_path = nullptr;
    TextLabel* m_note = nullptr;
    MessageStrip* m_message = nullptr;
    QPushButton* m_cancel = nullptr;
    QPushButton* m_export = nullptr;
    bool m_pathIsOwn = true; ///< not yet edited by the user
    bool m_isRunning = false;
};

} // namespace yardmaster::ui
