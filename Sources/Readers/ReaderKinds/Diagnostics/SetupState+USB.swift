import PCSCReader
extension SetupState {
  /// The readers that are connected by USB: the drivers that have them, and the permissions of this user.
  var usbFindings: [Finding] {
    guard let usb else { return [.unknown("USB", "this system shows no USB devices, as is usual in a container")] }
    let readers = usb.filter { $0.known != nil || $0.isSmartCardReader }
    guard !readers.isEmpty else { return [.ok("USB", "no reader that is known here is connected")] }
    return readers.map { $0.captor == nil ? finding(of: $0) : Self.captured($0) }
  }

  private static func captured(_ device: USBDevice) -> Finding {
    let module = device.captor == "port100" ? "port100" : "pn533_usb"
    return .problem(
      device.subject, "the kernel's driver \(device.captor ?? module) has taken it, and programs cannot have it",
      remedy: """
        sudo modprobe -r \(module) && echo blacklist \(module) | sudo tee /etc/modprobe.d/blacklist-\(module).conf
        """)
  }

  private func finding(of device: USBDevice) -> Finding {
    if device.isSmartCardReader, isServed(device) == false { return unserved(device) }
    guard let driver = device.known?.driver else {
      return .ok(device.subject, device.isSmartCardReader ? "for pcscd" : "nothing here drives it")
    }
    if device.isSmartCardReader, service.hasAnswered {
      guard nfc.namedDevices.contains(where: { $0.hasPrefix(driver) }) else {
        return .ok(device.subject, "pcscd has it: use it as pcsc:…; libnfc gets it only while pcscd is stopped")
      }
      return .problem(
        device.subject, "it is named to libnfc, and pcscd has it: a device serves one of the two",
        remedy: "sudo systemctl stop pcscd.socket pcscd.service   # or unset LIBNFC_DEVICE and use pcsc:…")
    }
    return permission(of: device)
  }

  /// Whether libnfc, which runs as this user, may open it.
  private func permission(of device: USBDevice) -> Finding {
    switch device.node {
    case .present(let file) where file.isReadable && file.isWritable:
      guard device.drivers.contains("usbfs") else { return .ok(device.subject, "this user may open \(device.path)") }
      return .problem(
        device.subject, "another program has claimed it", remedy: "sudo fuser -v \(device.path)   # shows which; end it"
      )
    case .present(let file):
      let rule = file.group == "plugdev" ? "" : " && \(Self.rule(for: device))"
      return .problem(
        device.subject, "this user may not open \(device.path) (\(file.permissions))",
        remedy: "sudo usermod -aG plugdev \"$USER\"\(rule)   # then log in again and plug the reader in anew")
    case .absent, .hidden:
      return .unknown(device.subject, "there is no device node \(device.path) here, as is usual in a container")
    }
  }

  private static func rule(for device: USBDevice) -> String {
    let numbers = device.identifier.split(separator: ":")
    let text = """
      SUBSYSTEM==\\"usb\\", ATTR{idVendor}==\\"\(numbers[0])\\", ATTR{idProduct}==\\"\(numbers[1])\\", \
      MODE=\\"0664\\", GROUP=\\"plugdev\\"
      """
    return "echo \"\(text)\" | sudo tee -a /etc/udev/rules.d/93-contactless.rules && sudo udevadm control --reload"
  }

  /// Whether pcscd has a reader, as far as its list shows; nil when it does not answer, or the reader's name is not known.
  private func isServed(_ device: USBDevice) -> Bool? {
    guard case .success(let readers)? = service.answer else { return nil }
    guard !readers.isEmpty else { return false }
    return ccid.name(of: device.identifier).map { name in readers.contains { $0.name.hasPrefix(name) } }
  }

  /// Why pcscd, which answers, does not have a reader.
  private func unserved(_ device: USBDevice) -> Finding {
    if device.hasRefusedFirmware, let options = ccid.driverOptions, options & CCIDState.takesOldFirmware == 0,
      let release = device.release, let least = device.known?.leastRelease
    {
      return .problem(
        device.subject,
        "the CCID driver refuses its firmware \(release.releaseText); it takes \(least.releaseText) and later",
        remedy: ccid.remedy(setting: CCIDState.takesOldFirmware) + "   # takes it all the same; or get a newer reader")
    }
    if device.drivers.contains("usbfs") {
      return .problem(
        device.subject, "another program than pcscd has claimed it",
        remedy: "sudo fuser -v \(device.path)   # shows which; end it, then: sudo systemctl restart pcscd.service")
    }
    return .problem(
      device.subject, "it is connected, and pcscd does not have it",
      remedy: "sudo systemctl restart pcscd.service   # its log says why: journalctl -u pcscd")
  }
}

extension UInt16 {
  /// A release as its decimal digits are read: 2.06 for 0206.
  fileprivate var releaseText: String {
    "\((self >> 8).digits(radix: 16, width: 1)).\((self & 0xFF).digits(radix: 16, width: 2))"
  }
}

extension ServiceState {
  var hasAnswered: Bool {
    if case .success? = answer { return true }
    return false
  }
}
