internal import Glibc

/// The width of a terminal.
public enum TerminalWidth {
  /// The least width for which text is broken, in columns. A narrower terminal gets lines of this width.
  public static let minimum = 40

  /// The number of columns of the terminal at a descriptor; nil when there is no terminal, or its width is unknown.
  public static func columns(at descriptor: Int32) -> Int? {
    var size = winsize()
    // The call writes to this frame only.
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return max(Int(size.ws_col), minimum)
  }
}

extension StringProtocol {
  /// The number of columns that the text takes on a terminal. Control sequences such as colours take none.
  var columnCount: Int {
    var (count, isSequence) = (0, false)
    for scalar in unicodeScalars {
      if scalar == "\u{1B}" {
        isSequence = true
      } else if isSequence {
        // A letter ends a control sequence, which begins with a bracket (ECMA-48, 5.4).
        isSequence = !scalar.properties.isAlphabetic
      } else {
        count += scalar.columnCount
      }
    }
    return count
  }
}

extension Unicode.Scalar {
  /// 0 for marks that join the character before them, 2 for ideographs and other wide characters, else 1.
  fileprivate var columnCount: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    switch value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}
