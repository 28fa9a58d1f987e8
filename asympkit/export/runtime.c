/* the table of one average: columns with space for some numbers */
typedef struct { double *columns, *weights; int n, space; } @table;

static inline double @max(double a, double b) { return a > b || a != a ? a : b; }
static inline double @min(double a, double b) { return a < b || a != a ? a : b; }

static inline double @power(double x, int n)
{
    double y = 1.0;
    for (; n > 0; n >>= 1, x *= x)
        if (n & 1) y *= x;
    return y;
}

/* the sum of numbers that were added up apart */
static inline double @total(const double *x)
{
    return ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]));
}

/* Add nodes without weight, so that their number is a multiple of the lanes. */
static inline void @pad(@table *t, int columns)
{
    int i;
    for (; t->n % @@LANES; t->n++) {
        for (i = 0; i < columns; i++) t->columns[i*t->space + t->n] = t->columns[i*t->space + t->n - 1];
        t->weights[t->n] = 0.0;
    }
}

/*#linear
/* ---- linear systems: rows scaled, rows of zeros allowed, iterative refinement of rough rows ---- */

static inline void @factor_linear_n(int n, const double *matrix, double *a, int *order)
{
    double scale[@@ROWS];
    int i, j, k, best;
    for (i = 0; i < n; i++) {
        scale[i] = 0.0;
        order[i] = i;
        for (j = 0; j < n; j++) {
            a[i*n + j] = matrix[i*n + j];
            scale[i] += fabs(a[i*n + j]);
        }
        if (scale[i] == 0.0) {
            a[i*n + i] = scale[i] = 1.0;
            order[i] = -1 - i;
        }
    }
    for (k = 0; k < n; k++) {
        best = k;
        for (i = k + 1; i < n; i++)
            if (fabs(a[i*n + k])*scale[best] > fabs(a[best*n + k])*scale[i]) best = i;
        if (best != k) {
            double t = scale[k];
            int at = order[k];
            scale[k] = scale[best]; scale[best] = t;
            order[k] = order[best]; order[best] = at;
            for (j = 0; j < n; j++) { t = a[k*n + j]; a[k*n + j] = a[best*n + j]; a[best*n + j] = t; }
        }
        for (i = k + 1; i < n; i++) {
            double ratio = a[k*n + k] == 0.0 ? 0.0 : a[i*n + k]/a[k*n + k];
            if (ratio != 0.0)
                for (j = k + 1; j < n; j++) a[i*n + j] -= ratio*a[k*n + j];
            a[i*n + k] = ratio;
        }
    }
}

static inline void @substitute(int n, const double *a, const int *order, const double *b, double *x)
{
    int i, j;
    for (i = 0; i < n; i++) {
        x[i] = order[i] >= 0 ? b[order[i]] : 0.0;
        for (j = 0; j < i; j++) x[i] -= a[i*n + j]*x[j];
    }
    for (i = n - 1; i >= 0; i--) {
        for (j = i + 1; j < n; j++) x[i] -= a[i*n + j]*x[j];
        x[i] = a[i*n + i] != 0.0 ? x[i]/a[i*n + i] : 0.0;
    }
}

static inline double @solve_factored_n(int n, const double *matrix, const double *a, const int *order,
                                       const double *b, double *x)
{
    double rest[@@ROWS], next[@@ROWS], least[@@ROWS], worst = INFINITY;
    int i, j, turn;
    @substitute(n, a, order, b, next);
    for (turn = 0; turn < 4; turn++) {
        double now = 0.0;
        for (i = 0; i < n; i++) {
            double value = -b[i], size = fabs(b[i]) + 1e-300;
            for (j = 0; j < n; j++) {
                value += matrix[i*n + j]*next[j];
                size += fabs(matrix[i*n + j]*next[j]);
            }
            if (turn == 0) least[i] = 1e-30*size;
            size = @max(size, least[i]);
            rest[i] = fabs(value) > 1e-13*size ? value : 0.0;
            now = @max(now, fabs(value)/size);
        }
        if (now > worst) break;
        for (i = 0; i < n; i++) x[i] = next[i];
        worst = now;
        if (!(worst > 1e-13)) break;
        @substitute(n, a, order, rest, next);
        for (i = 0; i < n; i++) next[i] = x[i] - next[i];
    }
    return worst;
}

static inline double @solve_linear_n(int n, const double *matrix, const double *b, double *x)
{
    double a[@@ROWS*@@ROWS];
    int order[@@ROWS];
    @factor_linear_n(n, matrix, a, order);
    return @solve_factored_n(n, matrix, a, order, b, x);
}

static inline void @solve_many_factored_n(int n, int columns, const double *matrix, const double *a, const int *order,
                                          const double *b, double *x, double *missed)
{
    double rhs[@@ROWS], found[@@ROWS] = {0.0};
    int i, k;
    for (k = 0; k < columns; k++) {
        for (i = 0; i < n; i++) rhs[i] = b[i*columns + k];
        missed[k] = @solve_factored_n(n, matrix, a, order, rhs, found);
        for (i = 0; i < n; i++) x[i*columns + k] = found[i];
    }
}

#linear*/
/*#rules
/* ---- quadrature rules of a standard normal ---- */

static const double @outer_steps[] = {0.4, 0.2788, 0.1943, 0.1355, 0.0944, 0.0658, 0.0459, 0.032, 0.0223, 0.01555,
                                      0.01083, 0.00755, 0.00526};
static const double @outer_cuts[] = {9.0, 9.5, 10.0, 10.75, 11.5, 12.0, 12.5, 13.0, 13.5, 14.0, 14.5, 15.0, 15.5};
static const int @panel_orders[] = {10, 12, 14, 17, 20, 24, 28, 34, 40, 48, 56, 67, 80};

/* Gauss's rule on [-1, 1] by Newton's method on Legendre's polynomial; returns its order */
static inline int @gauss(int order, double *x, double *w)
{
    int i, k, turn;
    for (i = 0; i < order; i++) {
        double z = -cos(3.141592653589793*(i + 0.75)/(order + 0.5)), slope = 1.0;
        for (turn = 0; turn < 8; turn++) {
            double p = 1.0, before = 0.0;
            for (k = 1; k <= order; k++) {
                double next = ((2.0*k - 1.0)*z*p - (k - 1.0)*before)/k;
                before = p; p = next;
            }
            slope = order*(z*p - before)/(z*z - 1.0);
            z -= p/slope;
        }
        x[i] = z;
        w[i] = 2.0/((1.0 - z*z)*slope*slope);
    }
    for (i = 0; i < order/2; i++) { x[order - 1 - i] = -x[i]; w[order - 1 - i] = w[i]; }
    if (order % 2) x[order/2] = 0.0;                    /* exactly symmetric */
    return order;
}

static inline void @sort(int n, double *x)
{
    int i, j;
    for (i = 1; i < n; i++) {
        double value = x[i];
        for (j = i; j > 0 && x[j - 1] > value; j--) x[j] = x[j - 1];
        x[j] = value;
    }
}

/* composite Gauss rule on panels between sorted edges; returns the number of nodes, 0 if there is no space */
static inline int @composite(int edges, const double *edge, int order, const double *x, const double *w, int most,
                             double *z, double *weight)
{
    int k, i, n = 0;
    for (k = 0; k + 1 < edges; k++) {
        double half = 0.5*(edge[k + 1] - edge[k]), middle = 0.5*(edge[k] + edge[k + 1]);
        if (!(half > 0.0)) continue;
        if (n + order > most) return 0;
        for (i = 0; i < order; i++, n++) {
            z[n] = middle + half*x[i];
            weight[n] = half*w[i]*exp(-0.5*z[n]*z[n])*0.3989422804014327;
        }
    }
    return n;
}

/* places where conditional means turn: offset and slope of an argument, width inside, and a kink */
typedef struct { double offset, slope, inner, kink; } @feature;

/* nodes and weights of an average at a level, positive in number if they come in pairs; a layer around 0 is resolved by
   nodes that are sinh of equidistant ones */
static inline int @outer_rule(int level, int features, const @feature *feature, int is_layered, double *z, double *w)
{
    double edge[1024], x[80], v[80], cut = @outer_cuts[level], step = @outer_steps[level], total = 0.0;
    int k, i, n, edges = 0, half = (int)ceil(cut), is_smooth = 1;
    for (k = 0; k < 2*half + 1; k++) edge[edges++] = k == 2*half ? cut : -cut + k*(cut/half);
    for (k = 0; k < features; k++) {
        double slope = feature[k].slope, centre, width, distance = 1.0;
        if (slope == 0.0 || !(feature[k].inner/hypot(slope, feature[k].inner) < 0.2)) continue;
        is_smooth = 0;
        centre = (feature[k].kink - feature[k].offset)/slope;
        width = feature[k].inner/fabs(slope);
        if (fabs(centre) <= cut && edges < 1020) edge[edges++] = centre;
        for (; distance > width && width > 0.0 && edges < 1020; distance *= 0.5) {
            if (fabs(centre - distance) <= cut) edge[edges++] = centre - distance;
            if (fabs(centre + distance) <= cut) edge[edges++] = centre + distance;
        }
    }
    if (is_smooth) {
        double layer = 0.5*pow(0.4, level);
        step *= is_layered ? 2.0/3.0 : 1.0;
        half = (int)ceil((is_layered ? asinh(cut/layer) : cut)/step);
        n = 2*half + 1;
        if (n > @@NODES) return 0;
        for (i = 0; i < n; i++) {
            double u = step*(i - half);
            z[i] = is_layered ? layer*sinh(u) : u;
            w[i] = exp(-0.5*z[i]*z[i])*(is_layered ? cosh(u) : 1.0);
        }
    } else {
        @sort(edges, edge);
        n = @composite(edges, edge, @gauss(@panel_orders[level], x, v), x, v, @@NODES, z, w);
    }
    for (i = 0; i < n; i++) total += w[i];
    for (i = 0; i < n; i++) w[i] /= total;
    return is_smooth ? n : -n;
}

/* whether a column on symmetric nodes is even (1), odd (-1), zero (0) or neither (2) */
static inline int @parity(int n, const double *x)
{
    double size = 0.0, even = 0.0, odd = 0.0;
    int i;
    for (i = 0; i < n; i++) {
        size = @max(size, fabs(x[i]));
        even = @max(even, fabs(x[i] - x[n - 1 - i]));
        odd = @max(odd, fabs(x[i] + x[n - 1 - i]));
    }
    return size == 0.0 ? 0 : even <= 1e-14*size ? 1 : odd <= 1e-14*size ? -1 : 2;
}

/* The first node that is needed: none below 0 where columns have parities under which no integrand changes; weights of
   the others are doubled. */
static inline int @fold(int n, int columns, const double **column, int symmetries, const int *even, double *w)
{
    int s, k, i;
    for (s = 0; s < symmetries; s++) {
        for (k = 0; k < columns; k++) {
            int p = @parity(n, column[k]);
            if (p != 0 && p != even[s*columns + k]) break;
        }
        if (k < columns) continue;
        for (i = n/2 + n%2; i < n; i++) w[i] *= 2.0;
        return n/2;
    }
    return 0;
}

/*#inner
/* rule of an average inside of another: no table favours its tails */
static inline int @inner_rule(int level, int is_folded, double *z, double *w)
{
    double step = level < 2 ? (level ? 0.5 : 0.625) : @outer_steps[level - 2], cut = @outer_cuts[level] - 1.5;
    double total = 0.0;
    int i, half = 4*(int)ceil(cut/(4.0*step)), first = is_folded ? half : 0, n = 2*half - first;
    if (n > @@NODES) return 0;
    for (i = 0; i < n; i++) {
        z[i] = cut/half*(first + i - half + 0.5);
        total += w[i] = exp(-0.5*z[i]*z[i]);
    }
    for (i = 0; i < n; i++) w[i] /= total;
    return n;
}

#inner*/
/* whether the mean of a column, of which only the direction counts, is lost in its rounding */
static inline int @is_lost(const @table *t, int row, int parity, int is_odd)
{
    double sum[3] = {0.0, 0.0, 0.0};
    int i, k;
    for (i = 0; i < t->n; i++)
        for (k = 0; k < 3; k++) sum[k] += t->weights[i]*t->columns[(row + k)*t->space + i];
    if (is_odd || parity == 2) {
        if (sum[0] == 0.0 && sum[2] == 0.0 && (sum[1] > 0.0 || parity == 2)) return 0;
        sum[1] = sum[2];
    }
    return !(sum[0] > 1e-145) || !(4.440892098500626e-16*sum[1]/sum[0] <= 1e-9);
}

#rules*/
/*#means
/* ---- means over a normal z of items of z and s = f(offset + slope*z), at rows of offsets ---- */

typedef struct {
    double (*f)(double);
    void (*here)(double z, double s, const double *at, double *out);
    void (*both)(double z, double there, double s, const double *at, double *out);
    int count, squares, kinks;          /* of items; a bit for each that is a square; of kinks */
    const double *kink;
    const double *floors, *signs;       /* by parity 0, 1, -1, 2: least parts of sizes, and signs under reflection */
} @mean;

/* values of items and sizes of their terms in one row, of squares with the rounding of roots; terms are those whose
   rounding counts */
static inline void @row(const @mean *m, int n, const double *z, const double *w, double offset, double slope,
                        const double *at, const double *floors, int is_near, double lost, double *value, double *size,
                        double *term)
{
    double a[3*@@ITEMS], b[3*@@ITEMS], centre[@@ITEMS], width[@@ITEMS], least[@@ITEMS], root[@@ITEMS];
    double shift = offset/slope;
    int i, j, k, count = m->count;
    for (k = 0; k < count; k++) value[k] = size[k] = term[k] = centre[k] = width[k] = least[k] = root[k] = 0.0;
    for (i = 0; 2*i < n; i++) {
        j = n - 1 - i;
        if (!is_near) {
            m->here(z[i], m->f(offset + slope*z[i]), at, a);
            if (j == i) for (k = 0; k < count; k++) b[k] = 0.0;
            else m->here(z[j], m->f(offset + slope*z[j]), at, b);
            for (k = 0; k < count; k++) {
                value[k] += w[i] == w[j] ? w[i]*(a[k] + b[k]) : w[i]*a[k] + w[j]*b[k];
                size[k] += w[i]*fabs(a[k]) + w[j]*fabs(b[k]);
                if (m->squares >> k & 1) root[k] += w[i]*sqrt(a[k]) + w[j]*sqrt(b[k]);
            }
        } else {
            double up = expm1(shift*z[i] - 0.5*shift*shift), down = expm1(shift*z[j] - 0.5*shift*shift);
            m->both(z[i], z[i] - shift, m->f(slope*z[i]), at, a);
            if (j == i) for (k = 0; k < 3*count; k++) b[k] = 0.0;
            else m->both(z[j], z[j] - shift, m->f(slope*z[j]), at, b);
            for (k = 0; k < count; k++) {
                const double *p = a + 3*k, *q = b + 3*k;
                double first = p[1]*up + p[2], second = q[1]*down + q[2];
                int is_even = w[i] == w[j];
                centre[k] += is_even ? w[i]*(p[0] + q[0]) : w[i]*p[0] + w[j]*q[0];
                width[k] += w[i]*fabs(p[0]) + w[j]*fabs(q[0]);
                value[k] += is_even ? w[i]*(first + second) : w[i]*first + w[j]*second;
                term[k] += w[i]*fabs(first) + w[j]*fabs(second);
                size[k] += w[i]*fabs(p[1])*(1.0 + up) + w[j]*fabs(q[1])*(1.0 + down);
                least[k] = @min(least[k], @min(p[1], q[1]));
                if (m->squares >> k & 1) root[k] += w[i]*sqrt(p[1])*(1.0 + up) + w[j]*sqrt(q[1])*(1.0 + down);
            }
        }
    }
    for (k = 0; k < count; k++) {
        double floor_k = floors ? floors[k] : 16*2.220446049250313e-16;
        if (is_near) {
            if (least[k] >= 0.0) { value[k] = size[k]; size[k] += lost*root[k]; continue; }
            if (floor_k >= 0.0 && fabs(centre[k]) <= floor_k*@max(width[k], 2.2250738585072014e-308)) centre[k] = 0.0;
            value[k] += centre[k];
            size[k] = @max(size[k], 0.01*width[k]);
        } else {
            term[k] = size[k];
            if (offset == 0.0 && slope != 0.0 && fabs(value[k]) <= floor_k*@max(size[k], 2.2250738585072014e-308))
                value[k] = 0.0;
        }
        size[k] += lost*root[k];
    }
}

/* trapezoidal rule on [-cut, cut]; returns the number of nodes, 0 if there is no space */
static inline int @lattice(double step, double cut, double *z, double *w)
{
    double total = 0.0;
    int i, half = cut/step < @@INNER/2 - 2 ? (int)ceil(cut/step) : -1, n = 2*half + 1;
    if (half < 0) return 0;
    for (i = 0; i < n; i++) { z[i] = step*(i - half); w[i] = exp(-0.5*z[i]*z[i]); }
    for (i = 0; i < half; i++) total += 2.0*w[i];
    total += w[half];
    for (i = 0; i < n; i++) w[i] /= total;
    return n;
}

/*#product
/* rule of one variable: a node if nothing depends on it, panels between kinks, or trapezoids */
static inline int @line(int level, int is_flat, int kinks, const double *kink, double *z, double *w)
{
    double edge[64], x[80], v[80], cut = @outer_cuts[level];
    int i, edges = (int)ceil(cut) + 1;
    z[0] = 0.0;
    w[0] = 1.0;
    if (is_flat) return 1;
    if (!kinks) return @lattice(@outer_steps[level], cut, z, w);
    for (i = 0; i < edges; i++) edge[i] = -cut + 2.0*cut*i/(edges - 1);
    for (i = 0; i < kinks && edges < 64; i++) if (fabs(kink[i]) < cut) edge[edges++] = kink[i];
    @sort(edges, edge);
    return @composite(edges, edge, @gauss(@panel_orders[level], x, v), x, v, @@NODES, z, w);
}

/* Put nodes of a product of two rules into the first columns of a table, without those far out, one of each pair where
   no integrand changes from one to the other; returns their number. */
static inline int @product(int level, const int *flat, const int *kinks, const double *kink, int is_half, @table *t,
                           double *work)
{
    double *z[2], *w[2], total = 0.0, cut = @outer_cuts[level];
    int i, j, k, n = 0, size[2];
    for (k = 0; k < 2; k++) {
        z[k] = work + 2*k*@@NODES;
        w[k] = z[k] + @@NODES;
        size[k] = @line(level, flat[k], kinks[k], k ? kink + kinks[0] : kink, z[k], w[k]);
    }
    for (i = 0; i < size[0]; i++)
        for (j = 0; j < size[1]; j++) {
            int side = (z[0][i] > 0.0) - (z[0][i] < 0.0);
            side = !is_half ? 0 : side ? side : (z[1][j] > 0.0) - (z[1][j] < 0.0);
            if (side < 0 || z[0][i]*z[0][i] + z[1][j]*z[1][j] > cut*cut*(1.0 + 1e-12)) continue;
            if (n == t->space) return 0;
            t->columns[n] = z[0][i];
            t->columns[t->space + n] = z[1][j];
            total += t->weights[n++] = w[0][i]*w[1][j]*(side ? 2.0 : 1.0);
        }
    for (i = 0; i < n && kinks[0] + kinks[1] == 0; i++) t->weights[i] /= total;
    return n;
}

#product*/
/* panels of one row with its kinks at the edges, those of finer levels graded towards them */
static inline int @panels(int kinks, const double *kink, double offset, double slope, double cut, int level,
                          const double *x, const double *v, double *z, double *w)
{
    double edge[@@INNER/16 + 2], base[512];
    int i, k, n = 8*(int)ceil(cut/12.0), edges = 0, parts = 1 << level, most = @@INNER/16 + 1, bases = 0;
    for (i = 0; i <= n; i++) base[bases++] = i == n ? cut : -cut + i*(2.0*cut/n);
    for (k = 0; k < kinks && bases < 512; k++) base[bases++] = @max(-cut, @min(cut, (kink[k] - offset)/slope));
    @sort(bases, base);
    for (k = 0; k + 1 < bases; k++)
        for (i = 0; i < parts; i++) {
            if (edges >= most) return 0;
            edge[edges++] = base[k] + (base[k + 1] - base[k])*i/parts;
        }
    edge[edges++] = cut;
    for (k = 0; k < kinks; k++)
        for (i = 1; i <= 12*(level > 2 ? level - 2 : 0); i++) {
            double at = (kink[k] - offset)/slope, distance = ldexp(1.0, -i);
            if (edges + 2 >= most) return 0;
            edge[edges++] = @max(-cut, @min(cut, at - distance));
            edge[edges++] = @max(-cut, @min(cut, at + distance));
        }
    @sort(edges, edge);
    return @composite(edges, edge, 16, x, v, @@INNER, z, w);
}

static inline int @settled(double error, double before) { return !(error < INFINITY) || error <= 1e-13 || (error <= 1e-12 && error > 0.6*before); }

/* the largest part of a mean that lies beyond a cut-off */
static inline double @beyond(const @mean *m, double offset, double slope, double cut, const double *at,
                             const double *scale)
{
    double part = 0.0, z, a[@@ITEMS];
    int k, side;
    for (z = cut + 0.5; z < 37.0; z += 1.5)
        for (side = -1; side <= 1; side += 2) {
            m->here(side*z, m->f(offset + slope*side*z), at, a);
            for (k = 0; k < m->count; k++) part = @max(part, exp(-0.5*z*z)*fabs(a[k])/scale[k]);
        }
    return part;
}

/* the largest square of the function around a row */
static inline double @square(const @mean *m, double offset, double slope)
{
    double size = 0.0;
    int k;
    for (k = -3; k <= 3; k++) size = @max(size, fabs(m->f(offset + slope*k)));
    return size*size;
}

/* scales of errors of a row; what is left of a variance may be divided by a penalty as small as that */
static inline void @scales(const @mean *m, const double *size, double *inward, double square, double *scale)
{
    int k;
    for (k = 0; k < m->count; k++) {
        double s = inward[k] = @max(inward[k], size[k]);
        s = (m->squares >> k & 1) ? @max(size[k], 1e-15*@max(s, square))
                          : @max(@max(size[k], 1e-3*s), 1e-17*@min(square, sqrt(square)));
        scale[k] = @max(s, 2.2250738585072014e-308);
    }
}

/* Means at rows of offsets, from the row nearest to 0 outwards on either side, by lattices (0) or panels between kinks
   (1) or around 0 (2). */
static inline double @means_by(int is_panels, const @mean *m, int parity, int n, const double *offset, double slope,
                               double *at, int scalars, int columns, const double **column, double **out,
                               double *work, double *memory)
{
    static const double cuts[] = {12.0, 15.0, 19.0, 24.0, 30.0, 36.0};
    const double *floors = m->floors ? m->floors + m->count*(parity & 3) : NULL;
    const double *signs = m->signs ? m->signs + m->count*(parity & 3) : NULL;
    double x[16], v[16], kink[128], *z = work, *w = work + @@INNER, worst = 0.0, square = 0.0, top = 0.0, lost;
    double value[@@ITEMS] = {0.0}, size[@@ITEMS] = {0.0}, term[@@ITEMS] = {0.0}, before[@@ITEMS] = {0.0};
    double scale[@@ITEMS] = {0.0}, biggest[@@ITEMS], inward[@@ITEMS] = {0.0};
    double at_last = NAN, fine = 0.0, step = 0.25, cut = 12.0;
    int first = 0, centre = 0, kinks = 0, i, k, c, turn, is_small[@@ITEMS], level, nodes = 0, pass = 0;
    int is_mirrored = signs != NULL && n > 1 && signs[0] != 0.0;
    for (i = 0; i < n && is_mirrored; i++) is_mirrored = offset[n - 1 - i] == -offset[i];
    if (is_mirrored) first = n/2;
    for (i = first; i < n; i++) if (fabs(offset[i]) < fabs(offset[centre]) || i == first) centre = i;
    for (k = 0; k < m->count; k++) is_small[k] = 1, biggest[k] = 0.0;
    for (i = first; i < n; i++) top = @max(top, @square(m, offset[i], slope));
    lost = 0.03*sqrt(top);
    if (is_panels) {
        @gauss(16, x, v);
        for (k = 0; k < (is_panels == 2 ? 1 : m->kinks) && kinks < 100; k++) {
            double layer = 1.0;
            kink[kinks++] = is_panels == 2 ? 0.0 : m->kink[k];
            for (; slope > 3.0 && layer < 0.3*slope && kinks < 126; layer *= 6.0) {
                kink[kinks] = kink[k] - layer;
                kink[kinks + 1] = kink[k] + layer;
                kinks += 2;
            }
        }
    }
    if (is_panels || memory[0] > 0.0) pass = 1;
    if (!is_panels && pass) { cut = memory[0]; step = memory[1]; worst = memory[2]; }
    for (; pass < 2; pass++) {                          /* choose a lattice on some rows; then all rows */
        if (!is_panels && pass && !(nodes = @lattice(step, cut, z, w))) return INFINITY;
        for (turn = 0; turn < 2; turn++) {
            int stride = turn ? -1 : 1;
            for (i = turn ? centre - 1 : centre; i >= first && i < n; i += stride) {
                double shift = slope > 0.0 ? offset[i]/slope : 0.0, error = INFINITY, last = INFINITY;
                int is_near = offset[i] != 0.0 && fabs(offset[i]) <= 0.1*slope, cutting = 0;
                if (i == centre || (turn && i == centre - 1)) for (k = 0; k < m->count; k++) inward[k] = 0.0;
                for (c = 0; c < columns; c++) at[scalars + c] = column[c][i];
                square = @square(m, offset[i], slope);
                if (!pass) {
                    double reference[@@ITEMS] = {0.0}, least = INFINITY, now = step, chosen = step;
                    if (i != centre && i != first && i != n - 1 && floor(shift) == at_last) continue;
                    at_last = floor(shift);
                    for (c = 0; c < 6; c++) {
                        if (cuts[c] < cut) continue;
                        cut = cuts[c];
                        fine = @max(0.01963495408493621/@max(slope, 0.2), cut/(0.45*@@INNER));
                        nodes = @lattice(fine, cut, z, w);
                        @row(m, nodes, z, w, offset[i], slope, at, floors, is_near, lost, reference, size, term);
                        @scales(m, size, inward, square, scale);
                        if (@beyond(m, offset[i], slope, cut, at, scale) <= 1e-16) break;
                    }
                    if (c == 6) return INFINITY;
                    for (level = 0; level < 17 && (!level || !@settled(error, last)); level++, now /= 1.4346327151126492) {
                        if (!(nodes = @lattice(now, cut, z, w))) break;
                        for (k = 0; k < m->count; k++) before[k] = value[k];
                        @row(m, nodes, z, w, offset[i], slope, at, floors, is_near, lost, value, size, term);
                        last = error;
                        for (error = 0.0, k = 0; k < m->count; k++) {
                            if (now < 2.0*fine && level) reference[k] = before[k];
                            error = @max(error, fabs(value[k] - reference[k])/scale[k]);
                        }
                        if (error < least) { least = error; chosen = now; }
                    }
                    step = @min(step, chosen);
                    worst = @max(worst, least);
                    continue;
                }
                for (level = 0; is_panels && (!@settled(error, last) || level < 2); level++) {
                    nodes = level > 8 ? 0 : @panels(kinks, kink, is_near ? 0.0 : offset[i], slope,
                                                    cuts[cutting] + is_near, level, x, v, z, w);
                    if (!nodes) break;
                    for (k = 0; k < m->count; k++) before[k] = value[k];
                    @row(m, nodes, z, w, offset[i], slope, at, floors, is_near, lost, value, size, term);
                    @scales(m, size, inward, square, scale);
                    if (level == 1 && @beyond(m, offset[i], slope, cuts[cutting], at, scale) > 1e-16) {
                        if (++cutting == 6) return INFINITY;
                        level = -1;
                        continue;
                    }
                    if (level) last = error;
                    for (error = 0.0, k = 0; level && k < m->count; k++)
                        error = @max(error, fabs(value[k] - before[k])/scale[k]);
                    if (!level) error = INFINITY;
                }
                if (is_panels) worst = @max(worst, error);
                else {
                    @row(m, nodes, z, w, offset[i], slope, at, floors, is_near, lost, value, size, term);
                    @scales(m, size, inward, square, scale);
                }
                for (k = 0; k < m->count; k++) {
                    double least = (m->squares >> k & 1) ? 8*4.930380657631324e-32*square : 16*2.220446049250313e-16*term[k];
                    out[k][i] = value[k];
                    if (m->squares >> k & 1)                  /* digits that nobody knows differ from rule to rule */
                        out[k][i] = (value[k] <= least ? 0.0 : value[k]) + least*fmod(1.4*log(n), 1.0);
                    if (!(fabs(value[k]) <= least)) is_small[k] = 0;
                    biggest[k] = @max(biggest[k], fabs(value[k]));
                }
            }
        }
    }
    if (!is_panels) { memory[0] = cut; memory[1] = step; memory[2] = worst; }
    for (k = 0; k < m->count; k++) {
        if (is_small[k] && ((m->squares >> k & 1) || ((!floors || floors[k] >= 0.0) && biggest[k] <= 1e-12*sqrt(top))))
            for (i = first; i < n; i++) out[k][i] = 0.0;
        if (is_mirrored)
            for (i = n/2 + 1; i < n; i++) out[k][n - 1 - i] = signs[k]*out[k][i];
    }
    return worst;
}

/* The same by what suits the function; returns the largest error relative to the scales.  `memory` keeps the cut-off,
   step and error that were chosen for a coarser outer rule. */
static inline double @means(const @mean *m, int parity, int n, const double *offset, double slope, double *at,
                            int scalars, int columns, const double **column, double **out, double *work,
                            double *memory)
{
    int is_kinked = m->kinks && slope > 0.0;
    if (!is_kinked && slope > 15.0) {                   /* it may turn beside argument 0 only */
        double error = @means_by(2, m, parity, n, offset, slope, at, scalars, columns, column, out, work, memory);
        if (error <= 1e-12) return error;
    }
    return @means_by(is_kinked, m, parity, n, offset, slope, at, scalars, columns, column, out, work, memory);
}

#means*/
/* ---- solve points on finer and finer rules ---- */

/* largest residual of a solution */
#define @@ACCEPT 1e-9

/* a point: parameters of the equations, outputs, their change under refinement and how it goes on */
typedef struct {
    double x[@@POINT + 1], out[@@OUT], change;
    int level, is_open, stalled, agreed;
} @trial;

/* the next value of an unknown along a row, from backward differences at the last points */
static inline double @continued(const double *past, int known)
{
    double value = past[0];
    int n, order = known - 1 < 1 ? known - 1 : 1;
    for (n = 0; n < known - 1 && n < 5; n++)
        if (known > 2 && fabs(past[n + 1]) < fabs(past[order + 1])) order = n;
    for (n = 0; n < order; n++) value += past[n + 1];
    return value;
}

static inline void @remember(double *past, double value)
{
    int k;
    for (k = 0; k < 6; k++) {
        double step = value - past[k];
        past[k] = value; value = step;
    }
}

/* one solution from one start; the residual is infinite where a quantity has no value or leaves its domain */
static inline void @attempt(const double *x, const @table *t, const double *start, int plain, double *out)
{
    double *residual = out + @@OUT - 2;
    int k, is_good = 1;
    @at(x, t, start, plain, out);
    for (k = 0; k < @@OUT - 2; k++) is_good = is_good && fabs(out[k]) < INFINITY;
    for (k = 0; k < @@DOMAINS; k++) {
        const double *d = @domains[k];
        double value = out[(int)d[0]], slack = d[3]*(1.0 + fabs(value));
        is_good = is_good && value >= d[1] - slack && value <= d[2] + slack;
    }
    if (!is_good && !(*residual > @@ACCEPT)) *residual = INFINITY;
}

/* the best solution from several starts, `near` first */
static inline void @solve_on(const double *x, const @table *t, const double *near, double *out)
{
    double tried[@@OUT] = {0.0}, start[@@TORN + 1] = {0.0}, residual = INFINITY;
    int k, turn;
    for (turn = near ? -1 : 0; turn < @@STARTS; turn++) {
        const double *from = turn < 0 ? near : @starts[turn];
/*#falling
        if (turn == 1 && x[@@FALLING] < 1.0) {          /* follow the solution while a parameter falls from 1 */
            double here[@@POINT + 1];
            int steps = 1 + (int)ceil(log(1.0/x[@@FALLING])/log(2.0)), step;
            for (k = 0; k < @@POINT; k++) here[k] = x[k];
            for (k = 0; k < @@TORN; k++) start[k] = @starts[0][k];
            for (step = 0; step < steps; step++) {
                here[@@FALLING] = pow(x[@@FALLING], (double)step/steps);
                @attempt(here, t, start, 2, tried);
                if (tried[@@OUT - 2] <= 1e-6) for (k = 0; k < @@TORN; k++) start[k] = tried[@solved[k]];
            }
            @attempt(x, t, start, 0, tried);
            if (tried[@@OUT - 2] < residual) {
                residual = tried[@@OUT - 2];
                for (k = 0; k < @@OUT; k++) out[k] = tried[k];
            }
            if (residual <= @@ACCEPT) return;
        }
#falling*/
        for (k = 0; k < @@TORN; k++) start[k] = from[k];
        @attempt(x, t, start, turn < 0 ? @plain[0] : @plain[turn], tried);
        if (turn <= 0 || tried[@@OUT - 2] < residual || out[@@OUT - 2] != out[@@OUT - 2]) {
            residual = tried[@@OUT - 2];
            for (k = 0; k < @@OUT; k++) out[k] = tried[k];
        }
        if (residual <= @@ACCEPT) return;
    }
}

/* largest relative change of what is judged; *is_firm says whether nothing has moved much */
static inline double @change(const double *now, const double *before, double last, int *is_firm)
{
    double change = 0.0, beside = 0.0, size = 0.0, all = 0.0;
    int k;
    for (k = 0; k < @@JUDGED; k++) size = @max(size, fabs(now[@judged[k]]));
    for (k = 0; k < @@OUT - 2; k++) all = @max(all, fabs(now[k]));
    for (k = 0; k < @@JUDGED; k++) {
        double moved = fabs(now[@judged[k]] - before[@judged[k]]), part = moved/(fabs(now[@judged[k]]) + 1e-300);
        change = @max(change, part);
        if (!(moved <= 1e-15*@min(size, 1.0))) beside = @max(beside, part);
    }
    for (k = 0; k < @@OUT - 2; k++)
        if (!(fabs(now[k] - before[k]) <= 1e-6*fabs(now[k]) + 1e-9*all)) *is_firm = 0;
    return change > @@RTOL && change > 0.1*last ? beside : change;
}

/* Make the tables of a level in one of two places of the workspace, unless they are there; returns the error of the
   means in them, negative where there is no space. */
static inline double @tables(int level, int place, const double *g, double *memory, int *made, @table *t, double *work)
{
    double error;
    int k;
    for (k = 0; k < @@GRIDS; k++) {
        t[k].columns = work + @@FIRST + place*@@TABLES + @offset[k];
        t[k].space = @space[k];
        t[k].weights = work + @@FIRST + place*@@TABLES + @offset[k + 1] - t[k].space;
        t[k].n = made[2 + place*@@GRIDS + k];
    }
    if (made[place] == level) return 0.0;
    error = @fill(level, g, memory, t, work);
    for (k = 0; k < @@GRIDS; k++) made[2 + place*@@GRIDS + k] = t[k].n;
    made[place] = error >= 0.0 ? level : -1;
    return error;
}

/* Solve some points with tables in common, each on rules as fine as it needs.  `made` holds the levels of the tables
   in the two places of the workspace, -1 for none. */
static inline void @refine(int count, @trial *trial, const double *g, double *memory, int *made, double *work)
{
    const double enough = @@RTOL > 1e-12 ? @@RTOL : 1e-12;
    int level, i, k, first = @@IS_REFINED ? 1 : 0;
    for (i = 0; i < count; i++) {
        trial[i].level = -1;
        trial[i].is_open = 1;
        trial[i].stalled = trial[i].agreed = 0;
        trial[i].change = INFINITY;
        for (k = 0; k < @@OUT; k++) trial[i].out[k] = k == @@OUT - 2 ? 0.0 : NAN;
    }
    for (level = first; level < (@@IS_REFINED ? 13 : 1); level++) {
        @table t[@@GRIDS + 1];
        int open = 0;
        double error = @tables(level, level & 1, g, memory, made, t, work);
        if (error < 0.0) break;
        for (i = 0; i < count; i++) {
            @trial *p = trial + i;
            double now[@@OUT] = {0.0}, near[@@TORN + 1] = {0.0}, last = p->change, change = @@IS_REFINED ? INFINITY : 0.0;
            int was_solved = level > first && p->out[@@OUT - 2] <= @@ACCEPT, is_solved, is_firm = 1;
            if (!p->is_open) continue;
            for (k = 0; k < @@TORN && was_solved; k++) near[k] = p->out[@solved[k]];
            @solve_on(p->x, t, was_solved ? near : NULL, now);
            is_solved = now[@@OUT - 2] <= @@ACCEPT;
            if (level > first) {
                change = @change(now, p->out, last, &is_firm);
                now[@@OUT - 1] += floor(p->out[@@OUT - 1]);
                for (k = 0; @following[k] >= 0; k++)        /* half an iteration marks quantities with fewer digits */
                    if (fabs(now[@following[k]] - p->out[@following[k]]) > @@RTOL*fabs(now[@following[k]]))
                        now[@@OUT - 1] = floor(now[@@OUT - 1]) + 0.5;
            }
            for (k = 0; k < @@OUT; k++) p->out[k] = now[k];
            p->change = change;
            p->agreed = change <= @@RTOL ? p->agreed + 1 : 0;
            p->stalled += change <= @@ACCEPT && change > 0.5*last && level > 2;
            if (is_solved && is_firm && (p->agreed >= @@AGREEING || p->stalled > 1) && error <= enough) p->level = level;
            p->is_open = p->level < 0 && (level == first || is_solved || was_solved);
            open += p->is_open;
        }
        if (!open || !(error <= enough)) break;
    }
    for (i = 0; i < count; i++) {                       /* no space for more: rounding is left of some changes */
        if (trial[i].is_open && trial[i].stalled && trial[i].change <= @@ACCEPT) trial[i].level = level;
        if (trial[i].level < 0 && trial[i].out[@@OUT - 2] <= @@ACCEPT) trial[i].change = INFINITY;
    }
}

static inline int @status(const double *out, double change)
{
    double residual = out[@@OUT - 2];
    if (residual <= @@ACCEPT && change <= @@ACCEPT) return out[@@OUT - 1] != floor(out[@@OUT - 1]);
    return residual <= @@ACCEPT ? 2 : residual == INFINITY ? 4 : residual == 1e290 ? 5 : residual == 1e289 ? 6 : 3;
}

/* Solve points that share tables; those that the rules of a few of them do not solve, one by one. */
static inline void @run(const @parameters *p, size_t count, @solution *s, double *work)
{
    @trial trial[@@TRIALS];
    double g[@@GROUP + 1] = {0.0}, memory[3*@@MEANS + 1] = {0.0}, x[@@POINT + 1] = {0.0}, change = 0.0;
    int made[2*@@GRIDS + 3] = {-1, -1}, code = @group(p, g, work), k, n = 0, level = -1;
    size_t i, ends[@@TRIALS];
    for (i = 0; i < count; i++) s[i].status = code ? code : -1;
    if (code) return;
    if (count > 16 && @@AGREEING == 1) {
        @table t[@@GRIDS + 1];
        double low[@@POINT + 1] = {0.0}, high[@@POINT + 1] = {0.0};
        for (i = 0; i < count; i++) {
            @point(p + i, g, x);
            for (k = 0; k < @@POINT; k++) {
                if (i == 0 || x[k] < low[k]) { low[k] = x[k]; ends[2*k] = i; }
                if (i == 0 || x[k] > high[k]) { high[k] = x[k]; ends[2*k + 1] = i; }
            }
        }
        ends[2*@@POINT] = 0; ends[2*@@POINT + 1] = count/2; ends[2*@@POINT + 2] = count - 1;
        for (k = 0; k < 2*@@POINT + 3; k++) {
            int j, is_new = 1;
            for (j = 0; j < k; j++) is_new = is_new && ends[j] != ends[k];
            if (is_new) @point(p + ends[k], g, trial[n++].x);
        }
        @refine(n, trial, g, memory, made, work);
        for (k = 0; k < n; k++)
            if (trial[k].level >= 0) {
                if (trial[k].level > level) level = trial[k].level;
                change = @max(change, trial[k].change);
            }
        if (level > 0) level -= @@IS_REFINED;
        if (level >= 0 && @tables(level, level & 1, g, memory, made, t, work) >= 0.0) {
            double out[@@OUT] = {0.0}, guess[@@TORN + 1] = {0.0}, past[@@TORN + 1][6] = {{0.0}}, last[@@POINT + 1] = {0.0};
            double step[@@POINT + 1] = {0.0};
            int known = 0;
            for (i = 0; i < count; i++) {
                @point(p + i, g, x);
                for (k = 0; k < @@POINT; k++) {
                    double moved = i ? fabs(x[k] - last[k]) : 0.0;
                    if (i > 1 && moved > 4.0*step[k] + 1e-300) known = 0;       /* another row begins */
                    step[k] = moved;
                    last[k] = x[k];
                }
                if (known && @@IS_PREDICTED) {
                    for (k = 0; k < @@TORN; k++) {
                        guess[k] = @continued(past[k], known);
                        if (@is_positive[k]) guess[k] = exp(past[k][0] + @max(-3.0, @min(3.0, guess[k] - past[k][0])));
                    }
                    @attempt(x, t, guess, 0, out);
                }
                if (!known || !@@IS_PREDICTED || !(out[@@OUT - 2] <= @@ACCEPT)) @solve_on(x, t, NULL, out);
                known = out[@@OUT - 2] <= @@ACCEPT ? known + 1 : 0;
                for (k = 0; k < @@TORN; k++) {
                    double value = out[@solved[k]];
                    if (known == 1) { int j; for (j = 0; j < 6; j++) past[k][j] = 0.0; }
                    @remember(past[k], @is_positive[k] ? log(@max(value, 1e-300)) : value);
                }
                if (known) @store(out, change, @status(out, change), s + i);
            }
        }
    }
    for (i = 0; i < count;) {
        for (n = 0; i < count && n < @@TRIALS; i++)
            if (s[i].status < 0) { @point(p + i, g, trial[n].x); ends[n++] = i; }
        if (n) @refine(n, trial, g, memory, made, work);
        for (k = 0; k < n; k++)
            @store(trial[k].out, trial[k].change, @status(trial[k].out, trial[k].change), s + ends[k]);
    }
}

/* Solve many points, in a workspace of @@WORKSPACE doubles. */
static inline int @solve_many(const @parameters *p, size_t count, @solution *s, double *workspace)
{
    size_t i = 0, k;
    int first = 0;
    while (i < count) {
        size_t end = i + 1;
        int code = @check(p + i);
        for (; end < count && @is_alike(p + i, p + end) && @check(p + end) == code; end++) { }
        if (code) for (k = i; k < end; k++) s[k].status = code;
        else @run(p + i, end - i, s + i, workspace);
        for (k = i; k < end; k++)
            if (s[k].status > 1) {
                static const double none[@@OUT] = {0.0};
                if (s[k].status > 6) @store(none, NAN, s[k].status, s + k);
                if (!first) first = s[k].status;
            }
        i = end;
    }
    return first;
}

/* Solve one point, with a workspace on the stack. */
static inline int @solve(const @parameters *p, @solution *s)
{
    double workspace[@@WORKSPACE];
    return @solve_many(p, 1, s, workspace);
}
