// laurel-web - boards in browsers: laurel-web(1).
#include "web/program.h"

int main(int count, char** words) { return laurel::web::run_program(count, words); }
