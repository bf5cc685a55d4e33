/* SPDX-License-Identifier: Apache-2.0 */
/* locate.c: finds the configuration file and reads it.
 *
 * A configuration decides where keys are sent, so a file in the working folder
 * that belongs to another user (except root) is refused, unless the caller
 * named it. */
#include "config/config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char locate_here[] = "surety.json";

/* The path of the user's configuration; empty if there is none. */
static void locate_users(const surety_config_options *options, surety_buf *path)
{
    if (!surety_user_folder(
            surety_str_of(surety__environment(options, "XDG_CONFIG_HOME")),
            surety_str_of(surety__environment(options, "HOME")), ".config",
            path))
        return;
    surety_buf_text(path, "/surety/surety.json");
    surety_buf_byte(path, '\0');
    if (path->status)
        return;
    path->len--;
    if (access(path->ptr, F_OK) != 0)
        surety_buf_reset(path);
}

/* The path of the file to read, NUL-terminated; empty if there is none. */
static surety_status locate_file(surety_str given,
                                 const surety_config_options *options,
                                 surety_buf *path, surety_error *reterr)
{
    struct stat about;

    if (given.len > 0) {
        surety_buf_add(path, given);
    } else if (stat(locate_here, &about) != 0) {
        locate_users(options, path);
    } else if (about.st_uid == geteuid() || about.st_uid == 0) {
        surety_buf_text(path, locate_here);
    } else {
        surety__fail(reterr, SURETY_MISUSE,
                     "the file surety.json in this folder belongs to another "
                     "user, and it would decide where keys are sent");
        surety__hint(reterr, "name it to take it all the same");
        return SURETY_MISUSE;
    }
    surety_buf_byte(path, '\0');
    return path->status ? surety__fail_nomem(reterr) : SURETY_OK;
}

surety_status surety_config_load(surety_str path,
                                 const surety_config_options *options,
                                 surety_config **ret_config,
                                 surety_error *reterr)
{
    const size_t max = surety_limits_of(NULL).schema_bytes_max;
    surety_config_options own;
    surety_config *config = NULL;
    surety_buf place, text;
    surety_status status;
    struct stat about;
    int fd = -1;

    if (surety__options_take(&own, sizeof(own), options, reterr))
        return SURETY_MISUSE;
    surety_buf_init(&place, own.alloc, 0);
    surety_buf_init(&text, own.alloc, 0);
    status = locate_file(path, &own, &place, reterr);
    if (status)
        goto done;
    own.folder = (surety_str){place.ptr, place.len - 1};
    while (own.folder.len > 0 && own.folder.ptr[own.folder.len - 1] != '/')
        own.folder.len--;
    if (place.len > 1) {
        /* A pipe is read too: a user who names one expects to wait for it. */
        fd = open(place.ptr, O_RDONLY | O_CLOEXEC);
        status =
            fd < 0 ? surety__fail(reterr, SURETY_IO, "cannot be read: %s",
                                  strerror(errno))
                   : surety__config_read_all(fd, place.ptr, max, &text, reterr);
    }
    /* As a write that was interrupted leaves it; /dev/null sets nothing. */
    if (status == SURETY_OK && text.len == 0 && fd >= 0 &&
        fstat(fd, &about) == 0 && S_ISREG(about.st_mode)) {
        status = surety__fail(reterr, SURETY_SYNTAX, "the file is empty");
        surety__hint(reterr, "{} is a configuration that sets nothing");
    }
    if (status == SURETY_OK)
        status =
            surety_config_read(surety_buf_str(&text), &own, &config, reterr);
    if (status == SURETY_OK) {
        config->info.file = surety__arena_text(
            &config->arena, (surety_str){place.ptr, place.len - 1});
        if (!config->info.file.ptr)
            status = surety__fail_nomem(reterr);
    }
    if (status == SURETY_OK)
        *ret_config = config;
    else
        surety_config_free(config);
    if (status && reterr && place.len > 1)
        memcpy(reterr->source, place.ptr,
               place.len < sizeof(reterr->source) ? place.len
                                                  : sizeof(reterr->source) - 1);
done:
    if (fd >= 0)
        close(fd);
    surety_buf_done(&text);
    surety_buf_done(&place);
    return status;
}
