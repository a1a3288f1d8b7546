extension SetupState {
  private static let settingsPath = "/etc/libccid_Info.plist"

  /// pcscd's driver for smart card readers, and whether it lets escape commands through.
  var driverFindings: [Finding] {
    let subject = "CCID driver"
    let reader = usb?.first { $0.isSmartCardReader }
    guard ccid.isInstalled else {
      guard let reader else { return [.ok(subject, "not installed; no USB smart card reader is connected either")] }
      return [
        .problem(
          subject, "not installed, so pcscd cannot use \(reader.subject)", remedy: "sudo apt-get install -y libccid")
      ]
    }
    return [.ok(subject, "installed"), escapeFinding]
  }

  private var escapeFinding: Finding {
    let subject = "escape commands"
    guard let options = ccid.driverOptions else {
      return .unknown(subject, "\(Self.settingsPath) has no ifdDriverOptions")
    }
    // DRIVER_OPTION_CCID_EXCHANGE_AUTHORIZED, as the file itself says.
    guard options & 1 == 0 else { return .ok(subject, "the CCID driver lets them through (ifdDriverOptions)") }
    guard let reader = usb?.first(where: { $0.known?.hasCCID == true }) else {
      return .ok(subject, "the CCID driver refuses them; only an ACR122U that is to be a card needs them")
    }
    return .problem(
      subject, "the CCID driver refuses them (ifdDriverOptions), so \(reader.subject) cannot be a card",
      remedy: """
        sudo sed -i '/<key>ifdDriverOptions/{n;s/0x[0-9A-Fa-f]*/0x\((options | 1).digits(radix: 16, width: 4))/}' \(Self.settingsPath) \
        && sudo systemctl restart pcscd.service
        """)
  }

  /// Kernel modules that claim a reader, so that programs cannot use it.
  var moduleFindings: [Finding] {
    let subject = "kernel modules"
    guard let modules else { return [.unknown(subject, "the kernel does not list its modules here")] }
    let takers = ["pn533_usb", "port100"].filter { modules.contains($0) }
    guard !takers.isEmpty else { return [.ok(subject, "none that takes a reader is loaded")] }
    let list = takers.joined(separator: " ")
    guard let device = usb?.first(where: { takers.contains($0.known?.module ?? "") }) else {
      return [.ok(subject, "\(list) is loaded, and takes such a device as soon as it is plugged in")]
    }
    let blacklist = takers.map { "blacklist \($0)\\n" }.joined()
    return [
      .problem(
        subject, "\(list) is loaded, and takes \(device.subject) away from programs",
        remedy: """
          sudo modprobe -r \(list) && printf '\(blacklist)' | sudo tee /etc/modprobe.d/blacklist-contactless.conf
          """)
    ]
  }
}

extension CCIDState {
  /// The bits of ifdDriverOptions.
  var driverOptions: UInt32? {
    guard let match = settings?.firstMatch(of: /<key>ifdDriverOptions<\/key>\s*<string>0[xX]([0-9A-Fa-f]{1,8})</) else {
      return nil
    }
    return UInt32(match.1, radix: 16)
  }
}
