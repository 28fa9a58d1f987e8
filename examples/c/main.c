/* The test error of one gradient step against the number of samples, and the best penalty at each.

   asympkit generate one-step --student tanh --target sin --language c one_step.h
   cc -std=c99 -O3 main.c -o curve -lm && ./curve */
#include <stdio.h>
#include <stdlib.h>

#include "one_step.h"

enum { SAMPLES = 8, PENALTIES = 41 };

int main(void)
{
    static one_step_parameters points[SAMPLES*PENALTIES];
    static one_step_solution found[SAMPLES*PENALTIES];
    double *workspace = malloc(ONE_STEP_WORKSPACE*sizeof *workspace);
    int i, j;
    if (!workspace) return 1;
    for (i = 0; i < SAMPLES*PENALTIES; i++) {       /* eta and alpha0 are the same: all points share their averages */
        one_step_parameters p = {.eta = 1.0, .alpha0 = 5.0, .beta = 1.0, .noise_variance = 0.1};
        p.alpha = 0.5*(1 + i/PENALTIES);
        p.lam = pow(10.0, -3.0 + 0.1*(i % PENALTIES));
        points[i] = p;
    }
    if (one_step_solve_many(points, SAMPLES*PENALTIES, found, workspace) != 0) return 1;
    for (i = 0; i < SAMPLES; i++) {
        int best = i*PENALTIES;
        for (j = best; j < (i + 1)*PENALTIES; j++)
            if (found[j].test_error < found[best].test_error) best = j;
        printf("alpha %.1f lam %.4f test_error %.6f\n", points[best].alpha, points[best].lam, found[best].test_error);
    }
    points[0].lam = -1.0;                           /* not allowed: a status, and its text */
    printf("%s\n", one_step_error_text(one_step_solve(points, found)));
    free(workspace);
    return 0;
}
