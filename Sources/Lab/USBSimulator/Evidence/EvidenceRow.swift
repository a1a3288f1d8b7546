extension ReaderDocument {
  /// The row of the table in the article of the readers: the reader, its roles, with what it was tested, and its set-up;
  /// nil without evidence.
  public var row: String? {
    guard let evidence else { return nil }
    let reader = name.isEmpty ? "a reader that is not at the USB bus" : "\(name) (`\(identifier)`)"
    let (address, card, setup) =
      switch evidence.place {
      case "nfc": ("nfc:CONNSTRING", "not tried", "3, 4")
      case "acr122": ("acr122:NAME", "not tried", "1, 2, 3")
      default: ("pcsc:NAME", "no", "1")
      }
    return "| \(reader) | `\(address)` | \(card) | \(evidence.summary) | \(setup) |"
  }
}

extension ReaderEvidence {
  /// The date, the drivers and the results, in one line.
  var summary: String {
    let versions = drivers.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    let source = (["evidence of \(date)", firmware.map { "firmware \($0)" }].compactMap(\.self) + versions)
    let counts = "\(steps(.passed).count) of \(EvidenceStep.allCases.count) steps passed"
    let lists = [("failed", steps(.failed)), ("skipped", steps(.skipped))].compactMap { name, steps in
      steps.isEmpty ? nil : "\(name): \(steps.map(\.rawValue).joined(separator: ", "))"
    }
    return source.joined(separator: ", ") + ": " + ([counts] + lists).joined(separator: "; ")
  }
}
