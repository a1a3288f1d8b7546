extension String {
  /// The text as one word of a POSIX shell: in single quotes where it has other characters than letters, digits and
  /// `_@%+=:,./-`.
  package var shellWord: String {
    let isPlain =
      !isEmpty
      && utf8.allSatisfy { octet in
        switch octet {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "_@%+=:,./-".utf8.contains(octet)
        }
      }
    return isPlain ? self : "'\(replacing("'", with: #"'\''"#))'"
  }
}
