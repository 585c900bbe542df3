// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/chart_export.h"

#include <QDialog>
#include <QPointer>

#include <vector>

class QAbstractButton;
class QButtonGroup;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace yardmaster::ui {

class ChartView;

/// Asks how and where to write a chart, writes it off the GUI thread, and says what was written. Stays open
/// after a failure with the reason, so that the destination can be changed. To be opened with open().
class ExportDialog final : public QDialog {
    Q_OBJECT
public:
    /// With more than one chart there is a choice among them, the first is chosen.
    explicit ExportDialog(const std::vector<ChartView*>& charts, QWidget* parent = nullptr);
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
    void buildForm(const std::vector<ChartView*>& charts);
    void buildFoot();
    [[nodiscard]] ChartView* chart() const;
    void updateFormats();
    void updatePath();
    void updateVerb();
    void browse();
    void start();
    void finish(const QString& path, const Expected<qint64>& written);
    void say(const QString& text, bool isError);

    std::vector<QPointer<ChartView>> m_charts;
    QComboBox* m_chartBox = nullptr;
    QButtonGroup* m_formats = nullptr;
    QButtonGroup* m_themes = nullptr;
    QButtonGroup* m_spans = nullptr;
    QLabel* m_note = nullptr;
    QLineEdit* m_path = nullptr;
    QPushButton* m_cancel = nullptr;
    QPushButton* m_export = nullptr;
    QLabel* m_message = nullptr;
    bool m_pathIsOwn = true; ///< not yet edited by the user
    bool m_isRunning = false;
};

} // namespace yardmaster::ui
