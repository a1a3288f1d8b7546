internal import Foundation

/// A USB device as sysfs shows it to every user.
public struct ConnectedUSBDevice: Equatable, Sendable {
  /// The number of the bus.
  public let bus: Int
  /// The number of the device on the bus.
  public let number: Int
  /// The text of iManufacturer; nil for none.
  public let manufacturer: String?
  /// The text of iProduct; nil for none.
  public let product: String?
  /// The text of iSerialNumber; nil for none. It identifies one device: do not pass it on.
  public let serialNumber: String?
  /// The device descriptor and those of the configurations.
  public let descriptors: [UInt8]
  /// The texts of iInterface, by bInterfaceNumber.
  public let interfaceNames: [Int: String]
}

extension SetupSurvey {
  /// The devices at the USB buses, hubs included. Blocks.
  public var connectedDevices: [ConnectedUSBDevice] {
    let directory = "/sys/bus/usb/devices"
    let names = names(in: directory)
    return names.filter { !$0.contains(":") }.compactMap { name in
      let interfaces = names.filter { $0.hasPrefix("\(name):") }.map { "\(directory)/\($0)" }
      return connectedDevice("\(directory)/\(name)", interfaces: interfaces)
    }
  }

  private func connectedDevice(_ place: String, interfaces: [String]) -> ConnectedUSBDevice? {
    guard let bus = line("\(place)/busnum").flatMap({ Int($0) }),
      let number = line("\(place)/devnum").flatMap({ Int($0) }),
      let descriptors = FileManager.default.contents(atPath: "\(root)\(place)/descriptors")
    else { return nil }
    let named = interfaces.compactMap { interface -> (Int, String)? in
      guard let number = line("\(interface)/bInterfaceNumber").flatMap({ Int($0, radix: 16) }) else { return nil }
      return line("\(interface)/interface").map { (number, $0) }
    }
    return ConnectedUSBDevice(
      bus: bus, number: number, manufacturer: line("\(place)/manufacturer"), product: line("\(place)/product"),
      serialNumber: line("\(place)/serial"), descriptors: Array(descriptors),
      interfaceNames: Dictionary(named) { first, _ in first })
  }

  /// The content of a file of one line; nil for an empty one, and for one that is not there.
  private func line(_ path: String) -> String? {
    text(path).map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The versions of the installed drivers, by the names of Debian's packages; empty on a system of another kind. Blocks.
  public var driverVersions: [String: String] {
    let packages = Set(["pcscd", "libccid", "libnfc6", "libusb-1.0-0"])
    var (versions, package): ([String: String], String?) = ([:], nil)
    for line in (text("/var/lib/dpkg/status") ?? "").split(separator: "\n", omittingEmptySubsequences: false) {
      if line.isEmpty { package = nil }
      if line.hasPrefix("Package: ") { package = packages.first { line.dropFirst(9) == $0 } }
      if let package, line.hasPrefix("Version: ") { versions[package] = String(line.dropFirst(9)) }
    }
    return versions
  }
}
