public import Links

/// One reader in the configuration of a pcscd: the driver, the device that it opens, and the name.
public struct ReaderEntry: Equatable, Sendable {
  /// The name of the reader, without the numbers that pcscd appends: 1 to 121 bytes without a quotation mark.
  public let friendlyName: String
  /// What the driver opens. The file before the first colon must exist; `/dev/null` for a driver without a file.
  public let deviceName: String
  /// The absolute path of the driver's shared library.
  public let driver: String
  /// A number for the driver, which many drivers ignore.
  public let channel: UInt32
  /// How many slots the driver has, 1 to 16. Programs see each slot as a reader.
  public let slotCount: Int
  /// The IPv4 address at which a virtual reader waits for its cards.
  let address: String

  /// The address of this machine that other machines cannot reach.
  public static let loopbackAddress = "127.0.0.1"

  /// Creates an entry. A text traps that the configuration cannot hold: an empty one, one with a quotation mark or a
  /// control character, or a path with a space.
  public init(
    friendlyName: String, deviceName: String = "/dev/null", driver: String, channel: UInt32 = 0, slotCount: Int = 1
  ) {
    self.init(friendlyName, deviceName, driver, channel, slotCount, at: Self.loopbackAddress)
  }

  private init(
    _ friendlyName: String, _ deviceName: String, _ driver: String, _ channel: UInt32, _ slotCount: Int,
    at address: String
  ) {
    precondition(
      (1...Self.maximumNameCount).contains(friendlyName.utf8.count) && friendlyName.utf8.allSatisfy(Self.isQuotable),
      "a reader's name has 1 to \(Self.maximumNameCount) bytes without quotation marks and control characters")
    precondition(
      [deviceName, driver].allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { Self.isQuotable($0) && $0 != 0x20 } },
      "a device name and a driver path have no spaces, quotation marks and control characters")
    precondition((1...16).contains(slotCount), "a reader has 1 to 16 slots, not \(slotCount)")
    self.friendlyName = friendlyName
    self.deviceName = deviceName
    self.driver = driver
    self.channel = channel
    self.slotCount = slotCount
    self.address = address
  }

  /// The ports at which the slots of a virtual reader wait for cards; empty for another reader.
  var ports: [UInt16] {
    driver == Self.virtualReaderDriver ? (0..<slotCount).map { UInt16(truncatingIfNeeded: Int(channel) + $0) } : []
  }

  /// MAX_READERNAME of pcsclite.h, 128 with its final zero, minus the six characters that pcscd appends.
  private static let maximumNameCount = 121

  private static func isQuotable(_ octet: UInt8) -> Bool { octet >= 0x20 && octet != 0x22 && octet != 0x7F }

  /// The names of the slots, as programs see them.
  ///
  /// - Parameter number: How many readers with the same driver precede this one, 0 to 15.
  public func readerNames(number: Int = 0) -> [String] {
    (0..<slotCount).map { "\(friendlyName) 0\(String(number, radix: 16)) 0\(String($0, radix: 16))" }
  }
}

extension ReaderEntry {
  /// The driver of vsmartcard, as Debian's package vsmartcard-vpcd installs it.
  static let virtualReaderDriver = "/usr/lib/pcsc/drivers/serial/libifdvpcd.so"

  /// A virtual reader with two slots, for the cards of `VPCDLink`.
  ///
  /// - Parameters:
  ///   - friendlyName: 1 to 121 bytes without a quotation mark.
  ///   - port: The port at which the driver waits for the card of the first slot. The second slot has the next port. Port
  ///     65535 traps.
  ///   - address: The IPv4 address at which it waits; 0.0.0.0 for all addresses of this machine, which lets cards of other
  ///     machines in.
  public static func virtualReader(
    named friendlyName: String, port: UInt16, at address: String = loopbackAddress
  ) -> ReaderEntry {
    precondition(port < UInt16.max, "port \(port) leaves no port for the second slot")
    return ReaderEntry(friendlyName, "/dev/null:\(port)", virtualReaderDriver, UInt32(port), 2, at: address)
  }

  /// A virtual reader with two slots at free ports.
  ///
  /// - Throws: `LinkError.Code.readerUnavailable` when no ports are free.
  public static func virtualReader(
    named friendlyName: String, at address: String = loopbackAddress
  ) throws(LinkError) -> ReaderEntry {
    guard let port = freePortPair() else {
      throw LinkError(.readerUnavailable, "no two neighbouring TCP ports between 20000 and 31999 are free")
    }
    return virtualReader(named: friendlyName, port: port, at: address)
  }

  /// The entry in the syntax of reader.conf(5).
  func configuration(driver: String) -> String {
    """
    FRIENDLYNAME "\(friendlyName)"
    DEVICENAME \(deviceName)
    LIBPATH \(driver)
    CHANNELID \(channel)

    """
  }
}
