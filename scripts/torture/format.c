// printf and its family: formatted into a buffer, or only counted where the text would go to a stream.

#include <stdio.h>
#include <string.h>

struct stream {
    int unused;
};

static struct stream streams[3];
FILE *stdin = &streams[0], *stdout = &streams[1], *stderr = &streams[2];

struct sink {
    char *to;
    size_t room, length;
};

static void emit(struct sink *sink, char c) {
    if (sink->length + 1 < sink->room) sink->to[sink->length] = c;
    sink->length++;
}

static void repeat(struct sink *sink, char c, int n) {
    while (n-- > 0) emit(sink, c);
}

struct field {
    int left, plus, space, alternate, zero, width, precision;
};

// Prefix, zeros and digits, padded to the field's width.
static void number(struct sink *sink, const struct field *f, const char *prefix, int zeros, const char *digits, int n) {
    int length = strlen(prefix), pad = f->width - length - zeros - n;
    if (pad > 0 && f->zero && !f->left) zeros += pad, pad = 0;
    if (!f->left) repeat(sink, ' ', pad);
    while (*prefix) emit(sink, *prefix++);
    repeat(sink, '0', zeros);
    while (n--) emit(sink, *digits++);
    if (f->left) repeat(sink, ' ', pad);
}

static void integer(struct sink *sink, struct field *f, unsigned long value, int negative, char kind) {
    char digits[24], *at = digits + sizeof digits;
    unsigned base = kind == 'o' ? 8 : kind == 'x' || kind == 'X' ? 16 : 10;
    const char *prefix = "";
    if (kind == 'd') prefix = negative ? "-" : f->plus ? "+" : f->space ? " " : "";
    if (f->alternate && value && base == 16) prefix = kind == 'x' ? "0x" : "0X";
    for (unsigned long rest = value; rest; rest /= base) {
        char digit = "0123456789abcdef"[rest % base];
        *--at = kind == 'X' && digit >= 'a' ? digit - 32 : digit;
    }
    int n = digits + sizeof digits - at;
    int wanted = f->precision >= 0 ? f->precision : 1;
    if (f->alternate && base == 8 && wanted <= n) wanted = n + 1;
    if (f->precision >= 0) f->zero = 0;
    number(sink, f, prefix, wanted > n ? wanted - n : 0, at, n);
}

// %f, %e and %g of what has at most 18 significant digits before rounding: scaled to an integer, in double.
static void real(struct sink *sink, struct field *f, double x, char kind) {
    char text[64];
    int n = 0, precision = f->precision < 0 ? 6 : f->precision, strip = 0;
    const char *prefix = __builtin_signbit(x) ? "-" : f->plus ? "+" : f->space ? " " : "";
    x = __builtin_fabs(x);
    if (__builtin_isnan(x) || __builtin_isinf(x)) {
        f->zero = 0;
        number(sink, f, prefix, 0, __builtin_isnan(x) ? "nan" : "inf", 3);
        return;
    }
    int exponent = 0;
    double scaled = x;
    while (scaled >= 10) scaled /= 10, exponent++;
    while (scaled && scaled < 1) scaled *= 10, exponent--;
    if (kind == 'g') {
        if (!precision) precision = 1;
        strip = !f->alternate;
        kind = exponent < -4 || exponent >= precision ? 'e' : 'f';
        precision -= kind == 'e' ? 1 : exponent + 1;
    }
    if (precision > 17) precision = 17;
    double mantissa = kind == 'e' ? scaled : x;
    for (int i = 0; i < precision; i++) mantissa *= 10;
    unsigned long value = (unsigned long)(mantissa + 0.5);
    char digits[24];
    int count = 0;
    while (value || count <= precision) digits[count++] = '0' + value % 10, value /= 10;
    if (kind == 'e' && count > precision + 1) count--, exponent++;
    for (int i = count - 1; i >= 0; i--) {
        text[n++] = digits[i + (kind == 'e' && count > precision + 1)];
        if (i == precision && (precision || f->alternate)) text[n++] = '.';
    }
    if (strip && precision) {
        while (text[n - 1] == '0') n--;
        if (text[n - 1] == '.') n--;
    }
    if (kind == 'e') {
        int e = exponent < 0 ? -exponent : exponent;
        text[n++] = 'e';
        text[n++] = exponent < 0 ? '-' : '+';
        if (e >= 100) text[n++] = '0' + e / 100;
        text[n++] = '0' + e / 10 % 10;
        text[n++] = '0' + e % 10;
    }
    number(sink, f, prefix, 0, text, n);
}

static int digits(const char **format) {
    int n = 0;
    while (**format >= '0' && **format <= '9') n = n * 10 + (*(*format)++ - '0');
    return n;
}

int vsnprintf(char *to, size_t room, const char *format, va_list list) {
    struct sink sink = {to, room, 0};
    va_list arguments;
    va_copy(arguments, list);
    while (*format) {
        if (*format != '%') {
            emit(&sink, *format++);
            continue;
        }
        struct field f = {.precision = -1};
        for (format++;; format++) {
            if (*format == '-') f.left = 1;
            else if (*format == '+') f.plus = 1;
            else if (*format == ' ') f.space = 1;
            else if (*format == '#') f.alternate = 1;
            else if (*format == '0') f.zero = 1;
            else break;
        }
        if (*format == '*') f.width = va_arg(arguments, int), format++;
        else f.width = digits(&format);
        if (f.width < 0) f.left = 1, f.width = -f.width;
        if (*format == '.') {
            format++;
            if (*format == '*') f.precision = va_arg(arguments, int), format++;
            else f.precision = digits(&format);
        }
        int bytes = 4;
        for (;; format++) {
            if (*format == 'h') bytes /= 2;
            else if (*format == 'l' || *format == 'z' || *format == 'j' || *format == 't' || *format == 'q') bytes = 8;
            else if (*format != 'L') break;
        }
        char kind = *format;
        if (kind) format++;
        switch (kind) {
            case 'd':
            case 'i': {
                long value = bytes == 8 ? va_arg(arguments, long) : va_arg(arguments, int);
                if (bytes == 2) value = (short)value;
                if (bytes == 1) value = (signed char)value;
                integer(&sink, &f, value < 0 ? -(unsigned long)value : value, value < 0, 'd');
                break;
            }
            case 'u':
            case 'o':
            case 'x':
            case 'X': {
                unsigned long value = bytes == 8 ? va_arg(arguments, unsigned long) : va_arg(arguments, unsigned);
                if (bytes == 2) value = (unsigned short)value;
                if (bytes == 1) value = (unsigned char)value;
                integer(&sink, &f, value, 0, kind);
                break;
            }
            case 'p':
                f.alternate = 1;
                integer(&sink, &f, (unsigned long)va_arg(arguments, void *), 0, 'x');
                break;
            case 'c': {
                char c = va_arg(arguments, int);
                f.zero = 0;
                number(&sink, &f, "", 0, &c, 1);
                break;
            }
            case 's': {
                const char *s = va_arg(arguments, const char *);
                f.zero = 0;
                if (!s) s = "(null)";
                number(&sink, &f, "", 0, s, strnlen(s, f.precision < 0 ? -1ul : (size_t)f.precision));
                break;
            }
            case 'e':
            case 'f':
            case 'g': real(&sink, &f, va_arg(arguments, double), kind); break;
            case 'n': *va_arg(arguments, int *) = sink.length; break;
            case 0: break;
            default: emit(&sink, kind);
        }
    }
    va_end(arguments);
    if (room) to[sink.length < room ? sink.length : room - 1] = 0;
    return sink.length;
}

int vsprintf(char *to, const char *format, va_list list) { return vsnprintf(to, 0x7fffffff, format, list); }

int vprintf(const char *format, va_list list) { return vsnprintf(0, 0, format, list); }

int vfprintf(FILE *stream, const char *format, va_list list) { return (void)stream, vprintf(format, list); }

#define FORWARD(call)             \
    va_list list;                 \
    va_start(list, format);       \
    int length = call;            \
    va_end(list);                 \
    return length;

int snprintf(char *to, size_t room, const char *format, ...) { FORWARD(vsnprintf(to, room, format, list)) }

int sprintf(char *to, const char *format, ...) { FORWARD(vsprintf(to, format, list)) }

int printf(const char *format, ...) { FORWARD(vprintf(format, list)) }

int fprintf(FILE *stream, const char *format, ...) { FORWARD(vfprintf(stream, format, list)) }

int puts(const char *s) { return strlen(s) + 1; }

int fputs(const char *s, FILE *stream) { return (void)stream, strlen(s); }

int putchar(int c) { return (unsigned char)c; }

int putc(int c, FILE *stream) { return (void)stream, (unsigned char)c; }

int fputc(int c, FILE *stream) { return putc(c, stream); }

size_t fwrite(const void *data, size_t size, size_t n, FILE *stream) { return (void)data, (void)size, (void)stream, n; }

int fflush(FILE *stream) { return (void)stream, 0; }
