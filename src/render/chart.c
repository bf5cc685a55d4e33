/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a chart of a table. Every build reads the chart's data first (model.c),
 * so every build reports the same errors. Only the drawing is missing in a
 * build without cairo. */
#include <assert.h>

#include "render/render.h"

surety_status surety__chart_draw(surety__table *table,
                                 const surety__chart *chart, surety_buf *out,
                                 surety_buf *notes, surety_error *reterr)
{
    const size_t start = out->len;
    surety__model model;
    surety_status status;

    assert(chart->type == SURETY__CHART_BAR ||
           chart->type == SURETY__CHART_LINE);
    if (chart->format != SURETY_CHART_PNG && chart->format != SURETY_CHART_SVG)
        return surety__fail(reterr, SURETY_MISUSE,
                            "there is no such format of charts");
    status = surety__model_read(table, chart, &model, notes, reterr);
#ifdef SURETY_WITH_CHARTS
    if (!status)
        status = surety__model_draw(&model, chart, out, notes, reterr);
#else
    if (!status) {
        status = surety__fail(reterr, SURETY_UNSUPPORTED,
                              "this build draws no charts: it is without "
                              "cairo and Pango");
        surety__hint(reterr, "tables in csv and html are made by every build");
    }
#endif
    surety__model_done(&model, table->alloc);
    if (!status && notes && notes->status) {
        out->len = start;
        status = surety__fail_nomem(reterr);
    }
    return status;
}
