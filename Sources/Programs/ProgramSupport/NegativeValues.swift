/// Arguments as the parser takes them: it would read a negative number after an option, `--taps -1`, as an option, and
/// report a missing value instead of the permitted range.
package enum NegativeValues {
  /// The arguments with such a number joined to its option, `--taps=-1`.
  package static func joined(_ arguments: [String]) -> [String] {
    var joined: [String] = []
    for argument in arguments {
      if let option = joined.last, option.hasPrefix("--"), option.count > 2, !option.contains("="), isNegative(argument)
      {
        joined[joined.count - 1] = "\(option)=\(argument)"
      } else {
        joined.append(argument)
      }
    }
    return joined
  }

  static func isNegative(_ text: String) -> Bool {
    text.hasPrefix("-") && text.dropFirst().first?.isNumber == true
  }
}
