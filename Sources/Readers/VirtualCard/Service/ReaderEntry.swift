public import Links

/// One reader in the configuration of a reader service: which driver opens which device, under which name.
public struct ReaderEntry: Equatable, Sendable {
  /// What the driver is called, without the number that the service appends: 1 to 121 octets, no quotation mark.
  public let friendlyName: String
  /// What the driver opens. pcscd wants the file before the first colon to exist; `/dev/null` when there is none.
  public let deviceName: String
  /// The driver's shared library, an absolute path.
  public let driver: String
  /// A number for the driver, which many ignore.
  public let channel: UInt32
  /// How many slots the driver says it has, 1 to 16. Each is a reader of its own to programs.
  public let slotCount: Int

  /// Describes a reader. Text with quotation marks, spaces or control characters where the configuration cannot hold
  /// them traps.
  public init(
    friendlyName: String, deviceName: String = "/dev/null", driver: String, channel: UInt32 = 0, slotCount: Int = 1
  ) {
    precondition(
      (1...Self.maximumNameCount).contains(friendlyName.utf8.count) && friendlyName.utf8.allSatisfy(Self.isQuotable),
      "a reader's name has 1 to \(Self.maximumNameCount) octets, without quotation or control characters")
    precondition(
      [deviceName, driver].allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { Self.isQuotable($0) && $0 != 0x20 } },
      "a device's name and a driver's path have neither spaces nor quotation or control characters")
    precondition((1...16).contains(slotCount), "a reader has 1 to 16 slots")
    self.friendlyName = friendlyName
    self.deviceName = deviceName
    self.driver = driver
    self.channel = channel
    self.slotCount = slotCount
  }

  /// MAX_READERNAME of pcsclite.h, 128 with its final zero, less the six characters that pcscd appends.
  private static let maximumNameCount = 121

  private static func isQuotable(_ octet: UInt8) -> Bool { octet >= 0x20 && octet != 0x22 && octet != 0x7F }

  /// What programs call the slots.
  ///
  /// - Parameter number: How many readers with the same driver come before this one, 0 to 15.
  public func readerNames(number: Int = 0) -> [String] {
    (0..<slotCount).map { "\(friendlyName) 0\(String(number, radix: 16)) 0\(String($0, radix: 16))" }
  }
}

extension ReaderEntry {
  /// vsmartcard's driver, as Debian's package vsmartcard-vpcd installs it.
  static let virtualReaderDriver = "/usr/lib/pcsc/drivers/serial/libifdvpcd.so"

  /// A virtual reader with two slots, for the cards of `VPCDLink`.
  ///
  /// - Parameters:
  ///   - friendlyName: 1 to 121 octets, no quotation mark.
  ///   - port: Where the driver waits for the card of the first slot, at all addresses of this machine; the second slot
  ///     has the next port. Port 65535 traps.
  public static func virtualReader(named friendlyName: String, port: UInt16) -> ReaderEntry {
    precondition(port < UInt16.max, "the second slot needs the port after \(port)")
    return ReaderEntry(
      friendlyName: friendlyName, deviceName: "/dev/null:\(port)", driver: virtualReaderDriver, channel: UInt32(port),
      slotCount: 2)
  }

  /// A virtual reader at two ports that nobody uses at the moment.
  ///
  /// - Throws: `LinkError.Code.readerUnavailable` when no ports are free.
  public static func virtualReader(named friendlyName: String) throws(LinkError) -> ReaderEntry {
    guard let port = freePortPair() else {
      throw LinkError(.readerUnavailable, "no two neighbouring TCP ports between 20000 and 31999 are free")
    }
    return virtualReader(named: friendlyName, port: port)
  }

  /// The entry in the form of reader.conf(5).
  func configuration(driver: String) -> String {
    """
    FRIENDLYNAME "\(friendlyName)"
    DEVICENAME \(deviceName)
    LIBPATH \(driver)
    CHANNELID \(channel)

    """
  }
}
