/// A USB device that can be a contactless reader here, by vendor and product.
///
/// The numbers of libnfc's drivers pn53x_usb and acr122_usb are in its `93-pn53x.rules`; those of the kernel's
/// pn533_usb
/// and port100 in the tables of these modules.
struct KnownDevice: Sendable {
  let identifier: String
  let name: String
  /// libnfc's driver; nil when it has none.
  var driver: String?
  /// The kernel module that claims the device when it is loaded.
  var module: String?
  /// Whether pcscd's driver for smart card readers drives it as well.
  var hasCCID = false
  /// The first release (bcdDevice) whose firmware pcscd's driver takes, as the table in its `ccid_usb.c` has it.
  var leastRelease: UInt16?

  static let all = [
    KnownDevice(identifier: "04cc:0531", name: "NXP PN531", driver: "pn53x_usb"),
    KnownDevice(identifier: "04cc:2533", name: "NXP PN533", driver: "pn53x_usb", module: "pn533_usb"),
    KnownDevice(identifier: "04e6:5591", name: "SCM SCL3711", driver: "pn53x_usb", module: "pn533_usb"),
    KnownDevice(identifier: "04e6:5594", name: "SCM SCL3712", driver: "pn53x_usb"),
    KnownDevice(identifier: "054c:0193", name: "Sony PN531", driver: "pn53x_usb"),
    KnownDevice(identifier: "054c:02e1", name: "Sony RC-S330", driver: "pn53x_usb", module: "pn533_usb"),
    KnownDevice(identifier: "1fd3:0608", name: "ASK LoGO", driver: "pn53x_usb"),
    KnownDevice(identifier: "072f:90cc", name: "ACS Touchatag", driver: "acr122_usb", hasCCID: true),
    KnownDevice(
      identifier: "072f:2200", name: "ACS ACR122U", driver: "acr122_usb", module: "pn533_usb", hasCCID: true,
      leastRelease: 0x0206),
    KnownDevice(identifier: "04e6:5291", name: "SCM SCL010", leastRelease: 0x0112),
    KnownDevice(identifier: "054c:06c1", name: "Sony RC-S380/S", module: "port100"),
    KnownDevice(identifier: "054c:06c3", name: "Sony RC-S380/P", module: "port100"),
  ]
}

extension USBDevice {
  var known: KnownDevice? { KnownDevice.all.first { $0.identifier == identifier } }

  /// Whether pcscd's driver for smart card readers (USB class 0B) drives it.
  var isSmartCardReader: Bool { interfaceClasses.contains { $0.lowercased() == "0b" } || known?.hasCCID == true }

  /// The name in findings.
  var subject: String {
    let name = known?.name ?? (product.isEmpty ? "smart card reader" : product)
    return "USB \(identifier) \(name)"
  }

  /// Whether pcscd's driver refuses its firmware unless it is told to take it.
  var hasRefusedFirmware: Bool {
    guard let release, let least = known?.leastRelease else { return false }
    return release < least
  }

  /// The kernel module that has claimed it; nil for none.
  var captor: String? {
    drivers.first { $0.hasPrefix("pn533") || $0 == "port100" }
  }
}
