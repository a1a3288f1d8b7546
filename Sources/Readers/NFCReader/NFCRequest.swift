/// A request to `tap-nfc`, the only process that links libnfc, because libnfc can abort its process.
///
/// `tap-nfc` answers each request with exactly one `NFCReply`, except `abort`.
package enum NFCRequest: NFCMessage {
  /// List the connection strings of all devices that libnfc finds.
  case list
  /// Open and claim a device.
  case open(connstring: String)
  /// Search once for a card of ISO/IEC 14443 type A or B with ISO-DEP.
  case select
  /// Send a command to the selected card.
  case transceive(milliseconds: UInt32, command: [UInt8])
  /// Release the selected card and switch the field off.
  case release
  /// Present a card until a terminal has selected it. Blocks without a time limit.
  case await(identifier: [UInt8], historicalBytes: [UInt8])
  /// Wait for the terminal's next command. Blocks without a time limit.
  case receive
  /// Answer the terminal.
  case respond([UInt8])
  /// End the request that blocks. Has no response of its own.
  case abort
}
