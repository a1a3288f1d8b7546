import Foundation
import TestSupport
import Testing

@testable import ReaderKinds

/// What the check gathers from real directories that look like a machine, and what it makes of that.
@Suite("tap readers --check, on trees of files", .blocks, .timeLimit(.minutes(20)))
struct SurveyTests {
  /// A machine in a directory.
  struct Machine {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @discardableResult
    func add(_ path: String, _ text: String = "") throws -> Machine {
      let url = URL(filePath: scratch.directory.path + path)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: url, atomically: true, encoding: .utf8)
      return self
    }

    /// A USB device with one interface.
    func plug(
      _ identifier: String, interfaceClass: String = "ff", driver: String? = nil, product: String = "Thing"
    ) throws {
      let numbers = identifier.split(separator: ":")
      let device = "/sys/bus/usb/devices/1-2"
      let files = [
        "idVendor": String(numbers[0]), "idProduct": String(numbers[1]), "busnum": "1", "devnum": "7",
        "product": product,
      ]
      for (name, value) in files { try add("\(device)/\(name)", value + "\n") }
      try add("\(device):1.0/bInterfaceClass", interfaceClass + "\n")
      guard let driver else { return }
      try FileManager.default.createSymbolicLink(
        atPath: scratch.directory.path + "\(device):1.0/driver", withDestinationPath: "../../bus/usb/drivers/\(driver)")
    }

    func facts(_ environment: [String: String] = [:]) -> SetupState {
      SetupSurvey(environment: environment, root: scratch.directory.path).files()
    }
  }

  private static let plist = """
    <dict>
    \t<key>ifdDriverOptions</key>
    \t<string>0x0000</string>
    </dict>
    """
  private static let bundle = "/usr/lib/pcsc/drivers/ifd-ccid.bundle/Contents/Linux/libccid.so"

  @Test func `connected devices have their descriptors, texts and numbers, and drivers their versions`() throws {
    let machine = try Machine()
    try machine.plug("072f:2200", interfaceClass: "0b", product: "ACR122U")
    let device = "/sys/bus/usb/devices/1-2"
    #expect(SetupSurvey(environment: [:], root: machine.scratch.directory.path).connectedDevices.isEmpty)
    for (name, value) in [("serial", "SN-1"), ("manufacturer", "ACS"), ("descriptors", "\u{12}\u{01}")] {
      try machine.add("\(device)/\(name)", value)
    }
    try machine.add("\(device):1.0/bInterfaceNumber", "00\n")
    try machine.add("\(device):1.0/interface", "PICC\n")
    try machine.add(
      "/var/lib/dpkg/status",
      """
      Package: libccid
      Status: install ok installed
      Version: 1.5.2-1

      Package: other
      Version: 9

      Package: pcscd
      Version: 1.9.9-2
      """)
    let survey = SetupSurvey(environment: [:], root: machine.scratch.directory.path)
    let found = try #require(survey.connectedDevices.first)
    #expect(found.bus == 1 && found.number == 7 && found.descriptors == [0x12, 0x01])
    #expect(found.manufacturer == "ACS" && found.product == "ACR122U" && found.serialNumber == "SN-1")
    #expect(found.interfaceNames == [0: "PICC"])
    #expect(survey.driverVersions == ["libccid": "1.5.2-1", "pcscd": "1.9.9-2"])
  }

  @Test func `an empty machine: nothing is there, nothing traps`() throws {
    let facts = try Machine().facts()
    #expect(facts.usb == nil)
    #expect(facts.modules == nil)
    #expect(facts.ports.isEmpty)
    #expect(facts.service.socket == .absent)
    #expect(!facts.service.isInstalled && !facts.ccid.isInstalled)
    #expect(facts.usbFindings.map(\.verdict) == [.unknown])
    #expect(facts.moduleFindings.map(\.verdict) == [.unknown])
    #expect(facts.driverFindings.map(\.verdict) == [.ok])
  }

  @Test func `an ACR122U without escape commands has a remedy that switches them on`() throws {
    let machine = try Machine()
    try machine.plug("072f:2200", interfaceClass: "0b", driver: "usbfs")
    #expect(machine.facts().driverFindings.map(\.verdict) == [.problem])
    try machine.add(Self.bundle)
    #expect(machine.facts().driverFindings.map(\.verdict) == [.ok, .unknown])
    try machine.add("/etc/libccid_Info.plist", Self.plist)
    let escape = try #require(machine.facts().driverFindings.last)
    #expect(escape.verdict == .problem)
    #expect(escape.detail.contains("072f:2200 ACS ACR122U cannot be a card"))
    // The remedy itself, on the copy of the file.
    let command = try #require(escape.remedy?.components(separatedBy: " && ").first)
      .replacingOccurrences(of: "sudo ", with: "")
      .replacingOccurrences(of: "/etc/", with: machine.scratch.directory.path + "/etc/")
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments = ["-c", command]
    try shell.run()
    shell.waitUntilExit()
    #expect(machine.facts().ccid.driverOptions == 1)
    #expect(machine.facts().driverFindings.map(\.verdict) == [.ok, .ok])
  }

  /// Options as written, whether the first bit is set.
  @Test(
    arguments: [("0x0000", 0), ("0x0001", 1), ("0X00ff", 0xFF), ("0x0025", 0x25), ("", nil), ("zero", nil)]
      as [(String, UInt32?)])
  func `driver options`(_ text: String, _ expected: UInt32?) {
    let facts = CCIDState(
      isInstalled: true, settings: Self.plist.replacingOccurrences(of: "0x0000", with: text))
    #expect(facts.driverOptions == expected)
  }

  /// Device, interface class, driver, kernel modules, verdicts on USB, verdict on modules.
  static let devices: [(String, String, String?, String, Finding.Verdict, Finding.Verdict)] = [
    ("04cc:2533", "ff", nil, "", .unknown, .ok),
    ("04cc:2533", "ff", "pn533_usb", "pn533_usb 20480 0 - Live\npn533 1 1 pn533_usb, Live", .problem, .problem),
    ("04e6:5591", "ff", "pn533", "", .problem, .ok),
    ("054c:06c3", "ff", "port100", "port100 24576 0 - Live", .problem, .problem),
    ("054c:02e1", "ff", nil, "port100 24576 0 - Live", .unknown, .ok),
    ("1d6b:0002", "09", "hub", "pn533_usb 20480 0 - Live", .ok, .ok),
    ("1234:5678", "0B", "usbfs", "", .ok, .ok),
  ]

  @Test(arguments: devices.indices)
  func `devices on USB, and the kernel's drivers that take them`(_ row: Int) throws {
    let (identifier, interfaceClass, driver, modules, verdict, moduleVerdict) = Self.devices[row]
    let machine = try Machine().add("/proc/modules", modules)
    try machine.plug(identifier, interfaceClass: interfaceClass, driver: driver)
    let facts = machine.facts()
    #expect(facts.usb?.map(\.identifier) == [identifier])
    #expect(facts.usb?.map(\.path) == ["/dev/bus/usb/001/007"])
    #expect(facts.usbFindings.map(\.verdict) == [verdict])
    #expect(facts.moduleFindings.map(\.verdict) == [moduleVerdict])
    let problems = (facts.usbFindings + facts.moduleFindings).filter { $0.verdict == .problem }
    for finding in problems { #expect(finding.remedy?.hasPrefix("sudo modprobe -r p") == true) }
  }

  @Test func `a device node decides whether libnfc may open the device`() throws {
    let machine = try Machine().add("/dev/bus/usb/001/007")
    try machine.plug("04cc:2533")
    #expect(machine.facts().usbFindings.first?.verdict == .ok)
    try machine.plug("04cc:2533", driver: "usbfs")
    let claimed = try #require(machine.facts().usbFindings.first)
    #expect(claimed.detail == "another program has claimed it")
    var facts = machine.facts()
    facts.usb?[0].drivers = []
    facts.usb?[0].node = .present(FileFact(mode: 0o664, isWritable: false))
    let refused = try #require(facts.usbFindings.first)
    #expect(refused.detail.contains("0664 root:root"))
    #expect(refused.remedy?.contains("ATTR{idVendor}==\\\"04cc\\\"") == true, "\(refused)")
    facts.usb?[0].node = .present(FileFact(group: "plugdev", mode: 0o664, isWritable: false))
    #expect(facts.usbFindings.first?.remedy?.contains("udev") == false)
  }

  @Test
  func
    `serial ports are those of USB adapters and those named to libnfc, with the holders of their locks`()
    throws
  {
    let machine = try Machine().add("/dev/ttyUSB0").add("/dev/ttyACM1").add("/dev/ttyS0").add("/dev/tty1")
    let conf = """
      # device.connstring = "pn532_uart:/dev/ttyUSB7"
      device.connstring = "pn532_uart:/dev/mine:115200"
      """
    try machine.add("/etc/nfc/libnfc.conf", conf).add("/proc/4321/comm", "other-program\n")
    let holder = try #require(
      try FileManager.default.attributesOfItem(atPath: machine.scratch.path("dev/ttyACM1"))[.systemFileNumber]
        as? NSNumber)
    // The device's part of the key is the same for all files of the tree: found in what the survey computes.
    let identity = try #require(
      SetupSurvey(environment: [:], root: machine.scratch.directory.path).identity("/dev/ttyACM1"))
    #expect(identity.hasSuffix(":\(holder)"))
    try machine.add(
      "/proc/locks",
      """
      1: FLOCK  ADVISORY  WRITE 4321 \(identity) 0 EOF
      1: -> FLOCK  ADVISORY  WRITE 99 \(identity) 0 EOF
      nonsense
      2: POSIX  ADVISORY  WRITE 17 fe:00:1 0 EOF
      """)
    let ports = machine.facts().ports
    #expect(ports.map(\.path) == ["/dev/mine", "/dev/ttyACM1", "/dev/ttyS0", "/dev/ttyUSB0"])
    #expect(ports.map(\.finding.verdict) == [.problem, .problem, .ok, .ok])
    #expect(ports[1].holders == [SerialPort.Holder(process: 4321, name: "other-program")])
    #expect(ports[1].finding.remedy == "kill 4321")
  }

  @Test func `LIBNFC_DEVICE goes before the file; both are looked at`() throws {
    let machine = try Machine().add("/etc/nfc/libnfc.conf", "allow_autoscan = false\n")
    let alone = machine.facts()
    #expect(!alone.nfc.findsDevices && alone.nfc.namedDevices.isEmpty)
    #expect(alone.nfc.findings.first?.verdict == .problem)
    let told = machine.facts(["LIBNFC_DEVICE": "pn532_uart:/dev/ttyUSB3", "LIBNFC_AUTO_SCAN": "true", "HOME": "/"])
    #expect(told.nfc.findsDevices)
    #expect(told.nfc.environment.keys.sorted() == ["LIBNFC_AUTO_SCAN", "LIBNFC_DEVICE"])
    #expect(told.ports.map(\.path) == ["/dev/ttyUSB3"])
    #expect(told.nfc.findings.first?.verdict == .ok)
  }
}
