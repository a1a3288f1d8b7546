internal import DisplayText

/// A table of figures, whose first column names the rows.
struct FigureTable {
  let heads: [String]
  /// The rows, each with as many cells as there are heads.
  let rows: [[String]]

  var html: HTML {
    let names = heads.map { "<th scope=\"col\">\($0)</th>" as HTML }
    let lines = rows.map { row -> HTML in
      let values = zip(heads, row).dropFirst().map { "<td data-label=\"\($0)\">\($1)</td>" as HTML }
      return "<tr><th scope=\"row\">\(row.first ?? "")</th>\(values)</tr>\n"
    }
    return """
      <div class="wide"><table class="figures"><thead><tr>\(names)</tr></thead><tbody>
      \(lines)</tbody></table></div>

      """
  }
}
