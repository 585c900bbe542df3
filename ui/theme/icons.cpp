// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/icons.h"

#include "resources/resources.h"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

namespace yardmaster::ui {

namespace {

class ThemedIconEngine final : public QIconEngine {
public:
    ThemedIconEngine(QString name, ColorRole role)
        : m_name(std::move(name))
        , m_role(role) { }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
        const qreal ratio = painter->device() != nullptr ? painter->device()->devicePixelRatioF() : 1.0;
        painter->drawPixmap(rect, scaledPixmap(rect.size() * ratio, mode, state, ratio));
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        return scaledPixmap(size, mode, state, 1.0);
    }
    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State, qreal scale) override {
        const QColor color = themeOf(nullptr).color(mode == QIcon::Disabled ? ColorRole::Disabled : m_role);
        const QString key = QStringLiteral("yardmaster-icon/%1/%2/%3x%4@%5")
                                .arg(m_name, color.name(QColor::HexArgb))
                                .arg(size.width())
                                .arg(size.height())
                                .arg(scale);
        QPixmap pixmap;
        if (QPixmapCache::find(key, &pixmap))
            return pixmap;
        pixmap = QPixmap(size);
        pixmap.fill(Qt::transparent);
        QSvgRenderer renderer(fileName());
        QPainter painter(&pixmap);
        renderer.render(&painter, QRectF(QPointF(), QSizeF(size)));
        painter.setCompositionMode(QPainter::CompositionMode_SourceIn);
        painter.fillRect(pixmap.rect(), color);
        painter.end();
        pixmap.setDevicePixelRatio(scale);
        QPixmapCache::insert(key, pixmap);
        return pixmap;
    }
    QIconEngine* clone() const override { return new ThemedIconEngine(m_name, m_role); }
    bool isNull() override { return !QFile::exists(fileName()); }

private:
    QString fileName() const { return QStringLiteral(":/icons/%1.svg").arg(m_name); }

    QString m_name;
    ColorRole m_role;
};

} // namespace

QIcon themedIcon(const QString& name, ColorRole role) {
    resources::load();
    if (!QFile::exists(QStringLiteral(":/icons/%1.svg").arg(name))) {
        qWarning("no icon named %s", qUtf8Printable(name));
        return {};
    }
    return QIcon(new ThemedIconEngine(name, role));
}

} // namespace yardmaster::ui
