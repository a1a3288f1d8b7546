/// Commands whose data are a PIN or keys: never shown, recorded or compared.
public enum SecretCommands {
  /// Whether an instruction carries a PIN or keys in its data.
  ///
  /// VERIFY, CHANGE REFERENCE DATA, RESET RETRY COUNTER (ISO/IEC 7816-4:2013, 11.5), PIN CHANGE/UNBLOCK
  /// (EMV 4.4 Book 3, 6.5.10), PUT KEY (GlobalPlatform) and a reader's LOAD KEYS (PC/SC part 3, 3.2.2.1.4).
  public static func carriesSecret(cla: UInt8, ins: UInt8) -> Bool {
    if cla == 0xFF { return [0x20, 0x82].contains(ins) }
    return [0x20, 0x21, 0x24, 0x25, 0x2C, 0x2D].contains(ins) || cla & 0x80 != 0 && ins == 0xD8
  }

  /// Returns a command with secret data replaced by zeros of the same length. Returns other commands unchanged.
  ///
  /// In a malformed command, all bytes after the header and one length byte are replaced.
  public static func blanked(_ command: [UInt8]) -> [UInt8] {
    guard command.count > 5, carriesSecret(cla: command[0], ins: command[1]) else { return command }
    var blanked = command
    for index in secretRange(of: command) { blanked[index] = 0 }
    return blanked
  }

  static func secretRange(of command: [UInt8]) -> Range<Int> {
    guard let layout = try? CommandLayout(parsing: command.span) else { return 5..<command.count }
    return layout.dataOffset..<layout.dataOffset + layout.dataCount
  }
}
