/* SPDX-License-Identifier: Apache-2.0 */
/* keys.c: access to the environment and to files, and storage of secrets.
 *
 * A key is read when a model that needs it is requested. It is trimmed,
 * checked (a line break in it could add a header), and kept in a block of its
 * own. Blocks are overwritten before they are freed, and so is the buffer that
 * a key file was read into. No message quotes a key. The process's environment
 * is not changed. */
#include "config/config.h"
#include "provider/provider.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

const char *surety__environment(const surety_config_options *options,
                                const char *name)
{
    if (options && options->environment)
        return options->environment(options->environment_ctx, name);
    return surety__process_variable(name);
}

surety_str surety__config_path(surety_config *config, surety_str path)
{
    const surety_str home_mark = SURETY__LITERAL("~/");
    const char *home = surety__environment(&config->options, "HOME");
    surety_str folder = config->options.folder;
    surety_buf text;

    surety_buf_init(&text, config->alloc, 0);
    if (surety__str_starts(path, home_mark) && home && *home) {
        folder = surety_str_of(home);
        path = (surety_str){path.ptr + 2, path.len - 2};
    } else if (surety__str_starts(path, SURETY__LITERAL("/"))) {
        folder.len = 0;
    }
    surety_buf_add(&text, folder);
    if (folder.len > 0 && folder.ptr[folder.len - 1] != '/')
        surety_buf_byte(&text, '/');
    surety_buf_add(&text, path);
    return surety__arena_buf(&config->arena, &text);
}

/* Writes through a pointer to volatile, since the compiler would remove plain
 * writes. */
static void keys_wipe(void *ptr, size_t len)
{
    volatile unsigned char *byte = ptr;

    for (size_t i = 0; i < len; i++)
        byte[i] = 0;
}

void surety__config_warn(const surety_config *config, const char *format, ...)
{
    surety_error sentence;
    va_list args;

    if (!config->options.warn)
        return;
    va_start(args, format);
    surety__failv(&sentence, SURETY_OK, format, args);
    va_end(args);
    config->options.warn(config->options.warn_ctx,
                         surety_str_of(sentence.message));
}

static surety_status keys_fail_errno(surety_error *reterr, const char *path,
                                     int error)
{
    return surety__fail(reterr, SURETY_IO, "%s cannot be read: %s", path,
                        strerror(error));
}

surety_status surety__config_read_all(int fd, const char *path, size_t max,
                                      surety_buf *out, surety_error *reterr)
{
    const surety_status status = surety__file_drain(fd, max, out);

    if (status == SURETY_IO)
        return keys_fail_errno(reterr, path, errno);
    if (status == SURETY_LIMIT)
        return surety__fail(reterr, SURETY_LIMIT,
                            "%s is larger than the limit of %zu bytes", path,
                            max);
    return status ? surety__fail_nomem(reterr) : SURETY_OK;
}

/* Opens a regular file. Other kinds are refused: reading them might block. */
static int keys_open(const char *path, struct stat *about, surety_error *reterr)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int error = 0;

    if (fd < 0 || fstat(fd, about) != 0)
        error = errno;
    else if (S_ISDIR(about->st_mode))
        error = EISDIR;
    if (error)
        keys_fail_errno(reterr, path, error);
    else if (!S_ISREG(about->st_mode))
        surety__fail(reterr, SURETY_IO,
                     "%s cannot be read: it is a pipe or a device", path);
    else
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

surety_status surety__config_file(const char *path, size_t max, surety_buf *out,
                                  surety_error *reterr)
{
    struct stat about;
    surety_status status;
    const int fd = keys_open(path, &about, reterr);

    if (fd < 0)
        return SURETY_IO;
    if ((uintmax_t)about.st_size <= max &&
        !surety__buf_room(out, (size_t)about.st_size + 1))
        status = surety__fail_nomem(reterr);
    else
        status = surety__config_read_all(fd, path, max, out, reterr);
    close(fd);
    return status;
}

/* Checks and keeps the secret in text. source: the variable or file, for
 * messages. */
static surety_status keys_take(surety_config *config, surety_str text,
                               const char *source, surety_str *ret_key,
                               surety_error *reterr)
{
    surety__config_key *key;

    text = surety__str_trim(text);
    if (text.len == 0)
        return surety__fail(reterr, SURETY_UNSUPPORTED, "%s is empty", source);
    if (text.len > SURETY__KEY_MAX)
        return surety__fail(reterr, SURETY_SYNTAX,
                            "%s holds more than %d bytes, as no key does",
                            source, SURETY__KEY_MAX);
    if (surety__str_find_control(text, true) < text.len)
        return surety__fail(reterr, SURETY_SYNTAX,
                            "%s holds a line break or another control "
                            "character, which no key has",
                            source);
    for (key = config->keys; key; key = key->next)
        if (surety_str_equal((surety_str){key->ptr, key->len}, text))
            goto found;
    key = surety__arena_take(&config->arena, sizeof(*key));
    if (!key)
        return surety__fail_nomem(reterr);
    key->ptr = surety__resize(config->alloc, NULL, 0, text.len);
    if (!key->ptr)
        return surety__fail_nomem(reterr);
    memcpy(key->ptr, text.ptr, text.len);
    key->len = text.len;
    key->next = config->keys;
    config->keys = key;
found:
    assert(key->len > 0 && key->len <= SURETY__KEY_MAX);
    *ret_key = (surety_str){key->ptr, key->len};
    return SURETY_OK;
}

static surety_status keys_of_file(surety_config *config, surety_str file,
                                  surety_str *ret_key, surety_error *reterr)
{
    char text[SURETY__KEY_MAX + 64];
    surety_buf read = {.ptr = text, .cap = sizeof(text), .max = sizeof(text)};
    const surety_str path = surety__config_path(config, file);
    struct stat about;
    surety_status status;
    int fd;

    if (!path.ptr)
        return surety__fail_nomem(reterr);
    fd = keys_open(path.ptr, &about, reterr);
    if (fd < 0)
        return SURETY_IO;
    if (about.st_mode & (S_IRWXG | S_IRWXO))
        surety__config_warn(config,
                            "the key file %s can be read or changed by others; "
                            "chmod 600 keeps it yours",
                            path.ptr);
    status =
        surety__config_read_all(fd, path.ptr, sizeof(text) - 2, &read, reterr);
    close(fd);
    if (status == SURETY_OK)
        status = keys_take(config, (surety_str){text, read.len}, path.ptr,
                           ret_key, reterr);
    keys_wipe(text, sizeof(text));
    return status;
}

surety_status surety__config_key_read(surety_config *config,
                                      surety_str variable, surety_str file,
                                      surety_str *ret_key, surety_error *reterr)
{
    char name[136];
    char source[176];
    surety_buf words = surety__buf_over(source, sizeof(source));
    const char *value;

    if (variable.len == 0)
        return keys_of_file(config, file, ret_key, reterr);
    if (variable.len >= sizeof(name))
        return surety__fail(reterr, SURETY_UNSUPPORTED,
                            "the name of an environment variable is too long");
    memcpy(name, variable.ptr, variable.len);
    name[variable.len] = '\0';
    value = surety__environment(&config->options, name);
    surety_buf_text(&words, "the environment variable ");
    surety_buf_text(&words, name);
    source[words.len] = '\0';
    if (!value)
        return surety__fail(reterr, SURETY_UNSUPPORTED, "%s is not set",
                            source);
    return keys_take(config, surety_str_of(value), source, ret_key, reterr);
}

void surety__config_keys_wipe(surety_config *config)
{
    for (surety__config_key *key = config->keys; key; key = key->next) {
        keys_wipe(key->ptr, key->len);
        surety__free(config->alloc, key->ptr, key->len);
    }
    config->keys = NULL;
}
