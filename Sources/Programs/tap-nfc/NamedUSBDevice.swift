import Foundation
import Glibc
import NFCReader

/// A USB device that a connection string such as `pn53x_usb:001:004` names, as the kernel shows it. libnfc does not report
/// why it cannot open a device; the files of the kernel show it.
struct NamedUSBDevice {
  private static let directory = "/sys/bus/usb/devices"

  private let connstring: String
  private let bus: Int
  private let number: Int

  /// Returns nil for a connection string without the numbers of bus and device.
  init?(_ connstring: String) {
    let parts = connstring.split(separator: ":")
    guard parts.count == 3, parts[0].hasSuffix("_usb"), let bus = Int(parts[1]), let number = Int(parts[2]) else {
      return nil
    }
    (self.connstring, self.bus, self.number) = (connstring, bus, number)
  }

  private var node: String { String(format: "/dev/bus/usb/%03d/%03d", bus, number) }

  /// Why libnfc could not open it.
  var refusal: NFCFailure {
    // Both calls read the path, which lives as long as they do.
    guard unsafe access(node, F_OK) == 0 else {
      return NFCFailure(
        .noSuchDevice,
        "libnfc cannot open \(connstring): there is no \(node). A reader gets a new number whenever it is plugged in")
    }
    guard unsafe access(node, R_OK | W_OK) == 0 else {
      return NFCFailure(
        .noSuchDevice,
        "libnfc cannot open \(connstring): this user may not open \(node). Join the group plugdev and log in again")
    }
    switch drivers.first {
    case "usbfs":
      return NFCFailure(
        .busy,
        "another program has claimed \(connstring); end it first. pcscd claims smart card readers such as an ACR122U")
    case let driver?:
      return NFCFailure(
        .noSuchDevice,
        "the kernel's driver \(driver) has taken \(connstring), and libnfc cannot have it: sudo modprobe -r \(driver)")
    case nil:
      return NFCFailure(
        .noSuchDevice,
        """
        \(connstring) is plugged in and does not answer libnfc's driver: unplug it and plug it in again, and check that \
        this is its driver's name
        """)
    }
  }

  /// The drivers that have claimed its interfaces; `usbfs` stands for a program.
  private var drivers: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: Self.directory)) ?? []
    guard let device = names.first(where: { value("busnum", of: $0) == bus && value("devnum", of: $0) == number })
    else { return [] }
    return names.filter { $0.hasPrefix("\(device):") }.sorted().compactMap { interface in
      // Without a link no driver has claimed the interface.
      let target = try? FileManager.default.destinationOfSymbolicLink(
        atPath: "\(Self.directory)/\(interface)/driver")
      return target.map { URL(filePath: $0).lastPathComponent }
    }
  }

  private func value(_ name: String, of device: String) -> Int? {
    let text = try? String(contentsOfFile: "\(Self.directory)/\(device)/\(name)", encoding: .utf8)
    return text.flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
  }
}
