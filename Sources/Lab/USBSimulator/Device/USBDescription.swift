/// What a USB device reports about itself: its descriptors and strings (USB 2.0, 9.5 to 9.7). It has one configuration.
public struct USBDescription: Equatable, Sendable {
  /// The speed of a device on the bus.
  public enum Speed: String, Equatable, Sendable {
    case full = "12"
    case high = "480"
  }

  /// An endpoint of an interface.
  public struct Endpoint: Equatable, Sendable {
    /// How the endpoint transfers, as bmAttributes encodes it.
    public enum Transfer: UInt8, Equatable, Sendable {
      case bulk = 2
      case interrupt = 3
    }

    /// bEndpointAddress: bit 8 is set when it transfers to the host.
    public var address: UInt8
    /// How it transfers.
    public var transfer: Transfer
    /// wMaxPacketSize.
    public var packetSize: UInt16
    /// bInterval.
    public var interval: UInt8

    /// Creates an endpoint.
    public init(_ address: UInt8, _ transfer: Transfer, packetSize: UInt16, interval: UInt8 = 0) {
      self.address = address
      self.transfer = transfer
      self.packetSize = packetSize
      self.interval = interval
    }
  }

  /// An interface with one setting.
  public struct Interface: Equatable, Sendable {
    /// bInterfaceClass; bInterfaceSubClass and bInterfaceProtocol are zero.
    public var classCode: UInt8
    /// The text of iInterface; nil for none.
    public var name: String?
    /// The descriptor of the class, which is sent after that of the interface; empty for none.
    public var classDescriptor: [UInt8]
    /// The endpoints.
    public var endpoints: [Endpoint]

    /// Creates an interface.
    public init(classCode: UInt8, name: String? = nil, classDescriptor: [UInt8] = [], endpoints: [Endpoint]) {
      self.classCode = classCode
      self.name = name
      self.classDescriptor = classDescriptor
      self.endpoints = endpoints
    }
  }

  /// idVendor.
  public var vendor: UInt16
  /// idProduct.
  public var product: UInt16
  /// bcdDevice, the version of the firmware: 0206 is 2.06.
  public var release: UInt16
  /// The text of iManufacturer; nil for none.
  public var manufacturer: String?
  /// The text of iProduct; nil for none.
  public var name: String?
  /// The text of iSerialNumber; nil for none.
  public var serialNumber: String?
  /// The speed on the bus.
  public var speed: Speed
  /// The interfaces; the index is bInterfaceNumber.
  public var interfaces: [Interface]

  /// Creates a description.
  public init(
    vendor: UInt16, product: UInt16, release: UInt16 = 0x0100, manufacturer: String? = nil, name: String? = nil,
    serialNumber: String? = nil, speed: Speed = .full, interfaces: [Interface]
  ) {
    self.vendor = vendor
    self.product = product
    self.release = release
    self.manufacturer = manufacturer
    self.name = name
    self.serialNumber = serialNumber
    self.speed = speed
    self.interfaces = interfaces
  }

  /// The texts in the order of their indices, which begin at 1.
  private var strings: [String] {
    ([manufacturer, name, serialNumber] + interfaces.map(\.name)).compactMap(\.self)
  }

  /// The index of a text; zero for none.
  private func index(of text: String?) -> UInt8 {
    text.flatMap { strings.firstIndex(of: $0) }.map { UInt8(truncatingIfNeeded: $0 + 1) } ?? 0
  }

  /// The device descriptor and that of the configuration, as sysfs shows them.
  public var descriptors: [UInt8] { deviceDescriptor + configurationDescriptor }

  var deviceDescriptor: [UInt8] {
    let packetSize: UInt8 = 64
    var octets: [UInt8] = [18, 1, 0x00, 0x02, 0, 0, 0, packetSize]
    for number in [vendor, product, release] { octets += number.littleEndianOctets }
    return octets + [index(of: manufacturer), index(of: name), index(of: serialNumber), 1]
  }

  var configurationDescriptor: [UInt8] {
    var body: [UInt8] = []
    for (number, interface) in interfaces.enumerated() {
      body += [9, 4, UInt8(truncatingIfNeeded: number), 0, UInt8(truncatingIfNeeded: interface.endpoints.count)]
      body += [interface.classCode, 0, 0, index(of: interface.name)]
      body += interface.classDescriptor
      for endpoint in interface.endpoints {
        body += [7, 5, endpoint.address, endpoint.transfer.rawValue]
        body += endpoint.packetSize.littleEndianOctets
        body.append(endpoint.interval)
      }
    }
    // Powered by the bus, 100 mA.
    var header: [UInt8] = [9, 2]
    header += UInt16(truncatingIfNeeded: body.count + 9).littleEndianOctets
    header += [UInt8(truncatingIfNeeded: interfaces.count), 1, 0, 0x80, 50]
    return header + body
  }

  /// The string descriptor of an index: zero is the list of languages.
  func stringDescriptor(_ index: UInt8) -> [UInt8]? {
    guard index > 0 else { return [4, 3, 0x09, 0x04] }
    guard Int(index) <= strings.count else { return nil }
    let text = strings[Int(index) - 1].utf16.prefix(126).reduce(into: [UInt8]()) { $0 += $1.littleEndianOctets }
    return [UInt8(text.count + 2), 3] + text
  }
}
