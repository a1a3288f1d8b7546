internal import Foundation
internal import Links

/// The files of one device in the tree that umockdev shows to programs as `/sys` and `/dev`.
struct DeviceTree: Sendable {
  /// The directory that stands for `/`.
  let root: String
  let description: USBDescription
  /// The number of the device on the bus. It is also that of its port.
  let number: Int
  /// For each interface, the kernel driver that has it.
  let drivers: [Int: String]

  /// The directory of the bus's controller, without `/sys`.
  private static let controller = "/devices/pci0000:00/0000:00:14.0/usb1"
  private static let bus = "/sys/bus/usb/devices"

  /// The path of the device in sysfs, without `/sys`.
  var path: String { "\(Self.controller)/\(name)" }
  private var name: String { "1-\(number)" }

  /// The path of the node below `/dev`.
  var node: String { String(format: "bus/usb/001/%03d", number) }

  /// The path of the node, and of the socket where the requests of programs arrive.
  var nodePath: String { "\(root)/dev/\(node)" }
  var socketPath: String { "\(root)/ioctl/dev/\(node)" }

  func interfacePath(_ interface: Int) -> String { "\(path)/\(interfaceName(interface))" }
  private func interfaceName(_ interface: Int) -> String { "\(name):1.\(interface)" }

  /// Creates the directories that all devices share.
  static func create(in root: String) throws(LinkError) {
    let folders = [
      "/sys" + controller, bus, "/sys/class", "/dev/bus/usb/001", "/dev/.node", "/ioctl/dev/bus/usb/001",
    ]
    try writing {
      for folder in folders {
        try FileManager.default.createDirectory(atPath: root + folder, withIntermediateDirectories: true)
      }
    }
  }

  private static func writing(_ write: () throws -> Void) throws(LinkError) {
    do {
      try write()
    } catch { throw LinkError(.transmissionFailed, "cannot write the tree of a simulated USB bus: \(error)") }
  }

  /// Writes the directories of the device and its interfaces. The node itself is not made here.
  func write() throws(LinkError) {
    try Self.writing {
      try write(attributes, to: path)
      try Data(description.descriptors).write(to: URL(filePath: "\(root)/sys\(path)/descriptors"))
      try link("\(root)/dev/.node/\(node.replacing("/", with: "_"))", to: "189:\(number - 1)")
      try show(path, name)
      for (index, interface) in description.interfaces.enumerated() {
        let path = interfacePath(index)
        try write(attributes(of: interface, index), to: path)
        if let driver = drivers[index] { try show(driver: driver, of: index) }
        try show(path, interfaceName(index))
      }
    }
  }

  /// Shows which driver has an interface: `usbfs` for a program.
  ///
  /// - Parameter driver: Nil for no driver.
  func setDriver(_ driver: String?, of interface: Int) {
    // A link that cannot be changed misleads only programs that look for it.
    try? FileManager.default.removeItem(atPath: "\(root)/sys\(interfacePath(interface))/driver")
    if let driver { try? show(driver: driver, of: interface) }
  }

  private func show(driver: String, of interface: Int) throws {
    try link("\(root)/sys\(interfacePath(interface))/driver", to: "/sys/bus/usb/drivers/\(driver)")
  }

  /// Takes the device out of the list of the bus. Its directory stays: receivers of the message about the removal look
  /// there for the parent of an interface.
  func remove() {
    let entries = [name] + description.interfaces.indices.map(interfaceName)
    for path in entries.map({ "\(root)\(Self.bus)/\($0)" }) + [nodePath] {
      // A file that cannot be removed is removed with the tree.
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  private func write(_ attributes: [String: String], to path: String) throws {
    let folder = "\(root)/sys\(path)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, value) in attributes {
      try "\(value)\n".write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8)
    }
    try link("\(folder)/subsystem", to: "/sys/bus/usb")
  }

  private func show(_ path: String, _ name: String) throws { try link("\(root)\(Self.bus)/\(name)", to: "/sys\(path)") }

  /// Creates a symbolic link, whose target is a path in the tree or a text.
  private func link(_ link: String, to target: String) throws {
    let depth = link.dropFirst(root.count).split(separator: "/").count - 1
    let relative = target.hasPrefix("/") ? String(repeating: "../", count: depth) + target.dropFirst() : target
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: relative)
  }

  // MARK: Content

  /// The properties of the device in its `uevent` file and in messages.
  var properties: [(name: String, value: String)] {
    [
      ("MAJOR", "189"), ("MINOR", "\(number - 1)"), ("DEVNAME", node), ("DEVTYPE", "usb_device"), ("DRIVER", "usb"),
      ("PRODUCT", product), ("TYPE", "0/0/0"), ("BUSNUM", "001"), ("DEVNUM", String(format: "%03d", number)),
    ]
  }

  func properties(of interface: Int) -> [(name: String, value: String)] {
    let classCode = description.interfaces[interface].classCode
    return [
      ("DEVTYPE", "usb_interface"), ("PRODUCT", product), ("TYPE", "0/0/0"), ("INTERFACE", "\(classCode)/0/0"),
    ]
  }

  private var product: String {
    [description.vendor, description.product, description.release].map { String($0, radix: 16) }.joined(separator: "/")
  }

  private static func text(_ properties: [(name: String, value: String)]) -> String {
    properties.map { "\($0.name)=\($0.value)" }.joined(separator: "\n")
  }

  private var attributes: [String: String] {
    var attributes = [
      "uevent": Self.text(properties), "busnum": "1", "devnum": "\(number)", "devpath": "\(number)",
      "speed": description.speed.rawValue, "bConfigurationValue": "1", "bNumConfigurations": "1", "version": " 2.00",
      "idVendor": Self.hex(description.vendor), "idProduct": Self.hex(description.product),
      "bcdDevice": Self.hex(description.release), "bDeviceClass": "00", "maxchild": "0",
      "bNumInterfaces": " \(description.interfaces.count)",
    ]
    attributes["manufacturer"] = description.manufacturer
    attributes["product"] = description.name
    attributes["serial"] = description.serialNumber
    return attributes
  }

  private func attributes(of interface: USBDescription.Interface, _ index: Int) -> [String: String] {
    var attributes = [
      "uevent": Self.text(properties(of: index)), "bInterfaceNumber": String(format: "%02x", index),
      "bInterfaceClass": String(format: "%02x", interface.classCode), "bInterfaceSubClass": "00",
      "bInterfaceProtocol": "00", "bAlternateSetting": " 0",
      "bNumEndpoints": String(format: "%02x", interface.endpoints.count),
    ]
    attributes["interface"] = interface.name
    return attributes
  }

  private static func hex(_ value: UInt16) -> String { String(format: "%04x", value) }
}
