public import ISO7816

extension StatusWord {
  /// Whether the command was not executed: neither 9000 nor a warning, nor a part of a response
  /// (ISO/IEC 7816-4:2013, 5.6).
  public var isRefusal: Bool {
    switch meaning {
    case .normal, .warning, .counter, .bytesRemaining: false
    case .wrongLength, .error, .other: true
    }
  }
}
