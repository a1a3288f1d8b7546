import Documents

/// The command line of this program, which links no argument parser: it links only what serves a device.
enum Usage {
  /// The synopsis.
  static let line = "tap-nfc [--protection] [--version] [--help]"

  /// The text for `--help`; `tools/tap-nfc.1` is the man page.
  static let help = """
    OVERVIEW: Serve one NFC device to one program.

    tap and programs that use NFCReader start it with a socket as its standard input. It cannot be used by itself.

    EXAMPLES:
      tap-nfc --protection
          Print what the kernel lacks of the protection of this process; nothing when nothing is missing.

    EXIT STATUS:
      0   the program on the socket has ended or closed it
      64  it was started by itself, or the command line is wrong

    ENVIRONMENT:
      LIBNFC_LOG_LEVEL  what libnfc prints on standard error, from 0 (nothing, the default) to 3

    SEE ALSO:
      tap(1), tap-accept(1), tap-readers(1)

    USAGE: \(line)

    OPTIONS:
      --protection            Print what the kernel lacks of the protection of this process.
      --version               Show the version.
      -h, --help              Show help information.
    """

  /// The message for a word that this program does not take.
  static func mistake(_ word: String) -> String {
    guard word.hasPrefix("-") else { return "unknown argument \"\(word)\"." }
    let guess = word.nearest(in: ["--protection", "--version", "--help"]).map { " Did you mean \"\($0)\"?" } ?? ""
    return "unknown option \"\(word)\".\(guess)"
  }
}
