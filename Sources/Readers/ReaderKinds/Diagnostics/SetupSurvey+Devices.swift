internal import Foundation
internal import PCSCReader

extension SetupSurvey {
  // MARK: USB

  /// The devices in sysfs: a directory for each device, and one for each of its interfaces, `1-2` and `1-2:1.0`.
  var usbDevices: [USBDevice]? {
    let directory = "/sys/bus/usb/devices"
    guard file(directory) != .absent else { return nil }
    let names = names(in: directory)
    return names.filter { !$0.contains(":") }.compactMap { name in
      usbDevice(
        "\(directory)/\(name)", interfaces: names.filter { $0.hasPrefix("\(name):") }.map { "\(directory)/\($0)" })
    }
  }

  private func usbDevice(_ directory: String, interfaces: [String]) -> USBDevice? {
    func value(_ name: String, in place: String) -> String? {
      text("\(place)/\(name)")?.trimmingCharacters(in: .whitespacesAndNewlines)
    }
    guard let vendor = value("idVendor", in: directory), let product = value("idProduct", in: directory) else {
      return nil
    }
    let numbers = ["busnum", "devnum"].map { value($0, in: directory).flatMap { Int($0) } ?? 0 }
    let path = "/dev/bus/usb/" + numbers.map { String(format: "%03d", $0) }.joined(separator: "/")
    return USBDevice(
      identifier: "\(vendor):\(product)", product: value("product", in: directory) ?? "", path: path,
      node: file(path), interfaceClasses: interfaces.compactMap { value("bInterfaceClass", in: $0) },
      drivers: interfaces.compactMap { linkTarget("\($0)/driver") },
      release: value("bcdDevice", in: directory).flatMap { UInt16($0, radix: 16) })
  }

  private func linkTarget(_ path: String) -> String? {
    // Without a link no driver has claimed the interface.
    (try? FileManager.default.destinationOfSymbolicLink(atPath: root + path)).map {
      URL(filePath: $0).lastPathComponent
    }
  }

  // MARK: Serial ports

  /// The ports of USB adapters, those of the machine, and those named to libnfc.
  func serialPorts(named paths: [String]) -> [SerialPort] {
    let found = names(in: "/dev").filter { name in ["ttyUSB", "ttyACM", "ttyS"].contains { name.hasPrefix($0) } }
    let locks = locks
    return (paths + found.map { "/dev/\($0)" }).distinct.map { path in
      let holders = identity(path).flatMap { locks[$0] } ?? []
      return SerialPort(path: path, file: file(path), isNamed: paths.contains(path), holders: holders)
    }
  }

  /// The holders of locks, by device and inode as `/proc/locks` writes them.
  private var locks: [String: [SerialPort.Holder]] {
    var holders: [String: [SerialPort.Holder]] = [:]
    for line in (text("/proc/locks") ?? "").split(separator: "\n") where !line.contains("->") {
      // 1: FLOCK  ADVISORY  WRITE 1234 00:1a:5 0 EOF
      let words = line.split(separator: " ")
      guard words.count >= 6, let process = Int(words[4]) else { continue }
      let name = processName(process) ?? "a program that is not visible from here"
      holders[String(words[5]), default: []].append(SerialPort.Holder(process: process, name: name))
    }
    return holders
  }

  /// Device and inode of a file, as `/proc/locks` writes them.
  func identity(_ path: String) -> String? {
    let target = URL(filePath: root + path).resolvingSymlinksInPath().path
    // A file that is not there has no lock either.
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: target),
      let device = (attributes[.systemNumber] as? NSNumber)?.uint64Value,
      let inode = (attributes[.systemFileNumber] as? NSNumber)?.uint64Value
    else { return nil }
    // The bits of major and minor numbers: makedev(3).
    let major = (device >> 8 & 0xFFF) | (device >> 32 & ~0xFFF)
    let minor = (device & 0xFF) | (device >> 12 & ~0xFF)
    return String(format: "%02lx:%02lx:%lu", UInt(major), UInt(minor), UInt(inode))
  }
}
