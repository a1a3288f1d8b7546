internal import Foundation

extension SetupState {
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
      return .unknown(subject, "\(CCIDState.settingsPath) has no ifdDriverOptions")
    }
    guard options & CCIDState.takesEscape == 0 else {
      return .ok(subject, "the CCID driver lets them through (ifdDriverOptions)")
    }
    guard let reader = usb?.first(where: { $0.known?.hasCCID == true }) else {
      return .ok(subject, "the CCID driver refuses them; only an ACR122U that is to be a card needs them")
    }
    return .problem(
      subject, "the CCID driver refuses them (ifdDriverOptions), so \(reader.subject) cannot be a card",
      remedy: ccid.remedy(setting: CCIDState.takesEscape))
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
  fileprivate static let settingsPath = "/etc/libccid_Info.plist"

  /// DRIVER_OPTION_CCID_EXCHANGE_AUTHORIZED, as the file itself says.
  static let takesEscape: UInt32 = 1
  /// DRIVER_OPTION_USE_BOGUS_FIRMWARE.
  static let takesOldFirmware: UInt32 = 4

  /// The bits of ifdDriverOptions.
  var driverOptions: UInt32? {
    guard let match = settings?.firstMatch(of: /<key>ifdDriverOptions<\/key>\s*<string>0[xX]([0-9A-Fa-f]{1,8})</) else {
      return nil
    }
    return UInt32(match.1, radix: 16)
  }

  /// The command that adds a bit to ifdDriverOptions.
  func remedy(setting option: UInt32) -> String {
    """
    sudo sed -i '/<key>ifdDriverOptions/{n;s/0x[0-9A-Fa-f]*/0x\(((driverOptions ?? 0) | option).digits(radix: 16, width: 4))/}' \
    \(Self.settingsPath) && sudo systemctl restart pcscd.service
    """
  }

  /// The name with which pcscd's names of a reader begin; nil for a reader that the driver does not list.
  ///
  /// - Parameter identifier: Vendor and product, such as `072f:2200`.
  func name(of identifier: String) -> String? {
    guard let settings else { return nil }
    // Settings that cannot be read name no reader.
    let list = try? PropertyListDecoder().decode(ReaderList.self, from: Data(settings.utf8))
    return list?.name(of: identifier.split(separator: ":").map { "0x\($0)" })
  }
}

/// The readers of the driver's settings: three arrays in the same order.
private struct ReaderList: Decodable {
  let ifdVendorID: [String]
  let ifdProductID: [String]
  let ifdFriendlyName: [String]

  /// - Parameter numbers: Vendor and product as the settings write them, in lower case.
  func name(of numbers: [String]) -> String? {
    zip(zip(ifdVendorID, ifdProductID), ifdFriendlyName).first { listed, _ in
      [listed.0.lowercased(), listed.1.lowercased()] == numbers
    }?.1
  }
}
