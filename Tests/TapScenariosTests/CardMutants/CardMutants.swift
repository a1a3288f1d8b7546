import ISO7816

/// All mutants of the card, each wrong in one thing.
extension CardMutant {
  static let all =
    directory + selection + options + records + cryptogram + qualifiers + relay + otherKernels + otherCryptograms
    + verification
    + counters + data + signatures + malformed + instructions + times
}

extension [UInt8] {
  /// Whether the command begins with these bytes.
  func begins(_ octets: UInt8...) -> Bool { starts(with: octets) }

  /// The last value of a response's template, or the response without its template.
  var withoutTemplate: [UInt8] {
    let data = Array(dropLast(2))
    let nodes = (try? [TLVNode](parsing: data.span)) ?? []
    return nodes.flatMap { $0.children.flatMap(\.encoded) } + status
  }

  /// The response in another template.
  func inTemplate(_ tag: Tag) -> [UInt8] {
    let data = Array(dropLast(2))
    let nodes = (try? [TLVNode](parsing: data.span)) ?? []
    return TLVNode(tag, nodes.flatMap(\.children)).encoded + status
  }
}
