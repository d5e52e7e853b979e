// entry_table.h - the table of a list of entries, as people read it.
#pragma once

#include "tool/answer.h"

namespace laurel::tool {

// `entries` are those of json_values.h. Fields that no entry has are not columns.
Table entry_table(Json entries);

}  // namespace laurel::tool
