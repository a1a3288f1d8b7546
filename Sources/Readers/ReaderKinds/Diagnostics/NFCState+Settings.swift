/// The settings of libnfc: its environment variables go before `/etc/nfc/libnfc.conf`.
extension NFCState {
  /// Connection strings of the devices that are named to libnfc.
  var namedDevices: [String] {
    let variables = ["LIBNFC_DEVICE", "LIBNFC_DEFAULT_DEVICE"].compactMap { environment[$0] }
    return variables + settings.filter { $0.name == "device.connstring" }.map(\.value)
  }

  /// Whether libnfc looks for USB devices by itself.
  var findsDevices: Bool {
    let value = environment["LIBNFC_AUTO_SCAN"] ?? settings.last { $0.name == "allow_autoscan" }?.value ?? "true"
    return ["true", "1", "yes"].contains(value)
  }

  private var settings: [(name: String, value: String)] {
    (configuration ?? "").split(whereSeparator: \.isNewline).compactMap { line in
      let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimming { $0.isWhitespace || $0 == "\"" } }
      guard parts.count == 2, !parts[0].hasPrefix("#") else { return nil }
      return (parts[0], parts[1])
    }
  }

  /// The file that a connection string names: `pn532_uart:/dev/ttyUSB0:115200`.
  static func path(in connstring: String) -> String? {
    let parts = connstring.split(separator: ":")
    guard parts.count >= 2, parts[1].hasPrefix("/") else { return nil }
    return String(parts[1])
  }
}

extension Substring {
  fileprivate func trimming(_ isUnwanted: (Character) -> Bool) -> String {
    String(drop(while: isUnwanted).reversed().drop(while: isUnwanted).reversed())
  }
}
