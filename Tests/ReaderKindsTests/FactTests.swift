import Links
import PCSCReader
import Testing

@testable import ReaderKinds

/// Each finding at the edge between two of them: facts that differ in one thing.
@Suite("tap readers --check, facts that differ in one thing")
struct FactTests {
  static func settings(_ options: String) -> String {
    "<key>ifdDriverOptions</key>\n<string>0x\(options)</string>\n"
  }

  /// Driver options, a device's identifier, verdict on escape commands, what the remedy sets.
  static let escapes: [(options: String, device: String, verdict: Finding.Verdict, sets: String?)] = [
    ("0002", "072f:2200", .problem, "0x0003/"), ("0000", "072f:90cc", .problem, "0x0001/"),
    ("0003", "072f:2200", .ok, nil), ("0000", "1234:5678", .ok, nil), ("0000", "04cc:2533", .ok, nil),
  ]

  @Test(arguments: escapes.indices)
  func `escape commands are the first bit, and only an ACR122 needs them`(_ row: Int) throws {
    let (options, device, verdict, sets) = Self.escapes[row]
    var facts = SetupState()
    facts.ccid = CCIDState(isInstalled: true, settings: Self.settings(options))
    facts.usb = [USBDevice(identifier: device, interfaceClasses: ["0b"])]
    let finding = try #require(facts.driverFindings.last)
    #expect(finding.subject == "escape commands" && finding.verdict == verdict)
    #expect(finding.remedy?.contains(sets ?? "") ?? (sets == nil), "\(finding)")
  }

  @Test(arguments: ["0b", "0B", "ff"])
  func `without a driver, any smart card reader is a problem`(_ interfaceClass: String) {
    var facts = SetupState()
    facts.usb = [USBDevice(identifier: "1234:5678", product: "R", interfaceClasses: [interfaceClass])]
    #expect(facts.driverFindings.map(\.verdict) == [interfaceClass == "ff" ? .ok : .problem])
    // A Touchatag is one by its number, whatever its interface says.
    facts.usb = [USBDevice(identifier: "072f:90cc", interfaceClasses: ["ff"])]
    #expect(facts.driverFindings.map(\.verdict) == [.problem])
  }

  @Test(
    arguments: [
      ([:], "allow_autoscan = false\nallow_autoscan = yes", true, []),
      ([:], "allow_autoscan = true\nallow_autoscan = no", false, []),
      (["LIBNFC_AUTO_SCAN": "1"], "allow_autoscan = false", true, []),
      (["LIBNFC_AUTO_SCAN": "0"], "allow_autoscan = true", false, []), ([:], "", true, []),
      (["LIBNFC_DEFAULT_DEVICE": "a"], "device.connstring = \"b\"\n#device.connstring = \"c\"", true, ["a", "b"]),
      (["LIBNFC_DEVICE": "a", "LIBNFC_DEFAULT_DEVICE": "d"], "", true, ["a", "d"]),
    ] as [([String: String], String, Bool, [String])])
  func `libnfc's settings come from the variables first, then from the last line of the file`(
    _ environment: [String: String], _ file: String, _ finds: Bool, _ named: [String]
  ) {
    let facts = NFCState(configuration: file, environment: environment)
    #expect(facts.findsDevices == finds)
    #expect(facts.namedDevices == named)
    let detail = facts.findings[0].detail
    #expect(detail.hasPrefix("it is given") == !named.isEmpty)
    #expect((facts.findings[0].verdict == .ok) == (finds || !named.isEmpty))
  }

  @Test(
    arguments: [
      ("pn532_uart:/dev/ttyUSB0:115200", "/dev/ttyUSB0"), ("acr122_usb:001:002", nil), ("pn532_uart", nil),
    ] as [(String, String?)])
  func `only a path in a connection string is a serial port`(_ connstring: String, _ path: String?) {
    #expect(NFCState.path(in: connstring) == path)
  }

  @Test func `tap-nfc lists the devices that libnfc finds`() {
    #expect(NFCState(program: "/p", devices: .success([])).findings[1].detail.hasSuffix("libnfc finds no device"))
    #expect(NFCState(program: "/p", devices: .success(["x", "y"])).findings[1].detail.hasSuffix("finds x, y"))
  }

  @Test(arguments: ["root", "?", "uucp"])
  func `a port that may be written but not read is refused, whatever its owner`(_ group: String) {
    let port = SerialPort(path: "/dev/ttyUSB0", file: .present(FileFact(group: group, isReadable: false)))
    #expect(port.finding.verdict == .problem)
    #expect(port.finding.remedy?.hasPrefix("sudo usermod -aG \(group == "uucp" ? "uucp" : "dialout")") == true)
  }

  @Test func `the socket that was named is the one that is spoken of`() {
    let silence = Result<[PCSCReaderStatus], LinkError>.failure(LinkError(.serviceUnavailable, "no response"))
    let facts = ServiceState(socketPath: "/x/y", socket: .absent, isInstalled: true, processes: [7], answer: silence)
    let finding = facts.findings[1]
    #expect(
      finding.detail == "there is no socket at /x/y, which PCSCLITE_CSOCK_NAME names, "
        + "though a pcscd runs (process 7)")
    #expect(finding.remedy?.hasPrefix("unset PCSCLITE_CSOCK_NAME   # or start") == true)
  }

  @Test func `a build without PC/SC names the trait that is missing`() {
    let reason = LinkError(.serviceUnavailable, "built without PC/SC")
    let findings = ServiceState(answer: .failure(reason)).findings
    #expect(findings.map(\.remedy) == ["swift build --traits PCSC,LibNFC"])
  }

  /// Device, driver, group and rights of its node, names in LIBNFC_DEVICE, whether pcscd answers, verdict, remedy.
  static let nodes: [(USBDevice, String?, Bool, Finding.Verdict, String?)] = [
    (device("072f:2200"), "pn532_uart:/dev/ttyUSB0", true, .ok, nil),
    (device("072f:2200"), "acr122_usb:1:2", true, .problem, "sudo systemctl stop"),
    (device("072f:2200"), "acr122_usb:1:2", false, .ok, nil),
    (device("04cc:2533", FileFact(isReadable: false)), nil, true, .problem, "sudo usermod -aG plugdev"),
    (device("04cc:2533", FileFact(isWritable: false)), nil, true, .problem, "sudo usermod -aG plugdev"),
    (device("04cc:2533", drivers: ["usbfs"]), nil, true, .problem, "sudo fuser -v"),
    (device("054c:06c1", drivers: ["port100"]), nil, true, .problem, "sudo modprobe -r port100 "),
    (device("04cc:2533", drivers: ["pn533"]), nil, true, .problem, "sudo modprobe -r pn533_usb "),
  ]

  static func device(_ identifier: String, _ file: FileFact = FileFact(), drivers: [String] = []) -> USBDevice {
    USBDevice(identifier: identifier, path: "/dev/bus/usb/001/002", node: .present(file), drivers: drivers)
  }

  @Test(arguments: nodes.indices)
  func `a USB device reports the driver that has it and the permissions of its node`(_ row: Int) {
    let (device, named, answers, verdict, remedy) = Self.nodes[row]
    var facts = SetupState()
    facts.usb = [device]
    facts.nfc.environment = named.map { ["LIBNFC_DEVICE": $0] } ?? [:]
    if answers { facts.service.answer = .success([PCSCReaderStatus(name: "R", card: nil)]) }
    #expect(facts.usbFindings.map(\.verdict) == [verdict])
    #expect(facts.usbFindings.first?.remedy?.hasPrefix(remedy ?? "?") ?? (remedy == nil), "\(facts.usbFindings)")
  }

  @Test func `a reader that a kernel driver has claimed is reported once`() {
    var facts = SetupState()
    facts.service.answer = .success([])
    facts.usb = [
      USBDevice(identifier: "072f:2200", node: .present(FileFact()), interfaceClasses: ["0b"], drivers: ["pn533_usb"])
    ]
    #expect(facts.usbFindings.count == 1)
    facts.usb?[0].drivers = []
    #expect(facts.usbFindings.map(\.detail) == ["it is connected, and pcscd does not have it"])
    facts.service.answer = .success([PCSCReaderStatus(name: "R", card: nil)])
    #expect(facts.usbFindings.map(\.verdict) == [.ok])
  }

  @Test func `two known devices are reported, and an unknown one is not`() {
    var facts = SetupState()
    facts.modules = ["pn533_usb", "usbcore"]
    facts.usb = [USBDevice(identifier: "1d6b:0002"), USBDevice(identifier: "04e6:5591")]
    #expect(facts.moduleFindings[0].detail.contains("takes USB 04e6:5591 SCM SCL3711 away"))
    facts.usb = [USBDevice(identifier: "1d6b:0002"), USBDevice(identifier: "04e6:5594")]
    #expect(facts.moduleFindings.map(\.verdict) == [.ok])
  }

  @Test func `nothing that was looked at is left out`() {
    var facts = SetupState()
    facts.service.answer = .success([PCSCReaderStatus(name: "R", card: nil)])
    facts.ports = [SerialPort(path: "/dev/ttyUSB0", file: .present(FileFact()))]
    #expect(
      facts.findings.map(\.subject) == [
        "reader service", "pcsc:R", "CCID driver", "kernel modules", "USB", "serial port /dev/ttyUSB0",
        "libnfc settings", "tap-nfc",
      ])
  }

  @Test func `a tree of files: processes by name, the socket that is named, the driver's own settings, named ports`()
    throws
  {
    let machine = try SurveyTests.Machine().add("/proc/7/comm", "pcscd\n").add("/proc/8/comm", "pcscd-not\n")
    try machine.add("/run/own", "").add("/dev/ttyS0").add("/dev/ttyUSB0")
    let plist = "/usr/lib/pcsc/drivers/ifd-ccid.bundle/Contents/Info.plist"
    try machine.add(plist, Self.settings("0004"))
    let facts = machine.facts(["PCSCLITE_CSOCK_NAME": "/run/own", "LIBNFC_DEVICE": "pn532_uart:/dev/ttyS0"])
    #expect(facts.service.processes == [7])
    #expect(facts.service.socketPath == "/run/own")
    guard case .present(let socket) = facts.service.socket else { throw Missing() }
    #expect(!socket.isSocket)
    #expect(facts.ccid.driverOptions == 4)
    #expect(facts.ports.map(\.isNamed) == [true, false])
    try machine.add("/etc/libccid_Info.plist", Self.settings("0001"))
    #expect(machine.facts().ccid.driverOptions == 1)
  }

  struct Missing: Error {}
}
