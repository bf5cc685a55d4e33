/* SPDX-License-Identifier: Apache-2.0 */
/* Routes: a name that clients ask for, and the models that it stands for.
 *
 * The first of them is drawn: in turns by their weights, which all threads
 * share, so the proportions are exact, or else as listed. The others follow in
 * their order. A model whose protocol has no word for a member of the request
 * is left out of those that follow: nothing is dropped from a request. So is
 * one that does not take the client's own bytes, where these are passed on. */
#include "gateway/gateway.h"

static const surety_config_route *route_find(const surety__settings *settings,
                                             surety_str name)
{
    const surety_config_info *info = surety_config_info_of(settings->config);

    for (size_t i = 0; i < info->route_count; i++)
        if (surety_str_equal(info->routes[i].name, name))
            return &info->routes[i];
    return NULL;
}

/* The index of the model whose turn it is. */
static size_t route_turn(const surety_config_route *route, uint64_t turn)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < route->model_count; i++)
        sum += route->weights[i];
    if (!sum)
        return 0;
    turn %= sum;
    for (size_t i = 0; i < route->model_count; i++) {
        if (turn < route->weights[i])
            return i;
        turn -= route->weights[i];
    }
    return 0;
}

surety_str surety__route_first(surety__ask *ask)
{
    ask->way.route = route_find(ask->settings, ask->request.model);
    if (!ask->way.route)
        return ask->request.model;
    ask->way.first =
        route_turn(ask->way.route, atomic_fetch_add(ask->settings->turns, 1));
    return ask->way.route->models[ask->way.first];
}

/* Adds a model of the route, with the request's parameters for it; or leaves it
 * out. SURETY_NOMEM. */
static surety_status route_add(surety__ask *ask, surety_str name,
                               const surety_alloc *alloc)
{
    const surety_model first = ask->model;
    surety_doc *const extra = ask->extra;
    const surety_model *found;
    surety__problem problem;
    surety_status status =
        surety_config_model(ask->settings->config, name, &found, NULL);

    if (status)
        return status == SURETY_NOMEM ? status : SURETY_OK;
    ask->model = *found;
    ask->extra = NULL;
    status = surety__params_read(ask, alloc, &problem);
    if (!status) {
        ask->others[ask->other_count] = ask->model;
        ask->extras[ask->other_count++] = ask->extra;
    } else {
        surety_doc_free(ask->extra);
    }
    ask->model = first;
    ask->extra = extra;
    return status == SURETY_NOMEM ? status : SURETY_OK;
}

/* Makes room for the others. SURETY_NOMEM; SURETY_END: there are none. */
static surety_status route_others(surety__ask *ask)
{
    const surety_config_route *way = ask->way.route;

    if (!way || way->model_count < 2)
        return SURETY_END;
    ask->others =
        surety__arena_take(ask->arena, way->model_count * sizeof(*ask->others));
    ask->extras =
        surety__arena_take(ask->arena, way->model_count * sizeof(*ask->extras));
    return ask->others && ask->extras ? SURETY_OK : SURETY_NOMEM;
}

surety_status surety__route_follow(surety__ask *ask, const surety_alloc *alloc)
{
    const surety_config_route *way = ask->way.route;
    surety_status status = route_others(ask);

    if (status)
        return status == SURETY_END ? SURETY_OK : status;
    for (size_t i = 0; i < way->model_count && !status; i++)
        if (i != ask->way.first)
            status = route_add(ask, way->models[i], alloc);
    return status;
}

/* The model of that name, if it takes the request as it is. NULL: none. */
static const surety_model *route_taker(const surety__ask *ask, surety_str name)
{
    const surety_model *found;

    return !surety_config_model(ask->settings->config, name, &found, NULL) &&
                   surety__pass_takes(ask, found)
               ? found
               : NULL;
}

surety_status surety__route_pass(surety__ask *ask)
{
    const surety_config_route *way = ask->way.route;
    const surety_status status = route_others(ask);

    if (status)
        return status == SURETY_END ? SURETY_OK : status;
    for (size_t i = 0; i < way->model_count; i++) {
        const surety_model *model =
            i == ask->way.first ? NULL : route_taker(ask, way->models[i]);

        if (!model)
            continue;
        ask->others[ask->other_count] = *model;
        ask->extras[ask->other_count++] = NULL;
    }
    return SURETY_OK;
}

bool surety__route_is_alike(const surety__ask *ask)
{
    const surety_config_route *way = ask->way.route;

    for (size_t i = 0; way && i < way->model_count; i++)
        if (!route_taker(ask, way->models[i]))
            return false;
    return true;
}

void surety__route_done(surety__ask *ask)
{
    for (size_t i = 0; i < ask->other_count; i++)
        surety_doc_free(ask->extras[i]);
}

const surety_model *surety__route_models(surety__ask *ask, size_t *ret_count)
{
    surety_model *models;

    *ret_count = 1 + ask->other_count;
    if (!ask->other_count)
        return &ask->model;
    models = surety__arena_take(ask->arena, *ret_count * sizeof(*models));
    if (!models)
        return NULL;
    models[0] = ask->model;
    memcpy(models + 1, ask->others, ask->other_count * sizeof(*models));
    return models;
}

surety_status surety__route_use(surety__worker *worker, surety__ask *ask)
{
    surety_status status = surety__worker_use(worker, ask->model.transport);

    if (!status)
        ask->used_count = 1;
    for (size_t i = 0; i < ask->other_count && !status; i++) {
        status = surety__worker_use(worker, ask->others[i].transport);
        if (!status)
            ask->used_count++;
    }
    return status;
}

void surety__route_leave(surety__worker *worker, surety__ask *ask)
{
    for (size_t i = 0; i < ask->used_count; i++)
        surety__worker_leave(worker, i ? ask->others[i - 1].transport
                                       : ask->model.transport);
    ask->used_count = 0;
}
