internal import Links
internal import PCSCReader

/// Everything that is known of a machine's set-up for readers. The findings are a pure function of these facts.
struct SetupState: Sendable {
  var service = ServiceState()
  var ccid = CCIDState()
  /// Names of the kernel's loaded modules; nil when it does not list them.
  var modules: [String]?
  /// What is connected by USB; nil when the system shows no USB.
  var usb: [USBDevice]?
  var ports: [SerialPort] = []
  var nfc = NFCState()

  /// Everything that was looked at, from the reader service to libnfc.
  var findings: [Finding] {
    service.findings + driverFindings + moduleFindings + usbFindings + ports.map(\.finding) + nfc.findings
  }
}

/// The file at a path, as this user sees it.
enum FileSight: Equatable, Sendable {
  case absent
  /// A directory on the way may not be searched.
  case hidden
  case present(FileFact)
}

/// A file and the permissions of this user.
struct FileFact: Equatable, Sendable {
  var isSocket = false
  var owner = "root"
  var group = "root"
  /// Permission bits.
  var mode = 0o644
  var isReadable = true
  var isWritable = true

  /// Such as `0660 root:dialout`.
  var permissions: String { "\(mode.digits(radix: 8, width: 4)) \(owner):\(group)" }
}

/// The reader service.
struct ServiceState: Sendable {
  /// The socket of its clients.
  var socketPath = ServiceState.standardSocketPath
  var socket = FileSight.absent
  var isInstalled = false
  /// Process numbers of pcscd.
  var processes: [Int] = []
  /// The answer to the question for its readers; nil when none came in time.
  var answer: Result<[PCSCReaderStatus], LinkError>?

  static let standardSocketPath = "/run/pcscd/pcscd.comm"
}

/// The driver for readers that follow USB's smart card class (CCID).
struct CCIDState: Sendable {
  var isInstalled = false
  /// Its settings; nil when they cannot be read.
  var settings: String?
}

/// Something connected by USB.
struct USBDevice: Equatable, Sendable {
  /// Vendor and product, such as `072f:2200`.
  var identifier: String
  var product = ""
  /// The device node, such as `/dev/bus/usb/001/004`.
  var path = ""
  var node = FileSight.absent
  /// Class of each interface, such as `0b`.
  var interfaceClasses: [String] = []
  /// Drivers that have claimed an interface; `usbfs` stands for a program.
  var drivers: [String] = []
  /// The release of the device (bcdDevice), which readers use for that of their firmware.
  var release: UInt16?
}

/// A serial port.
struct SerialPort: Equatable, Sendable {
  struct Holder: Equatable, Sendable {
    let process: Int
    let name: String
  }

  var path: String
  var file = FileSight.absent
  /// Whether it is named to libnfc.
  var isNamed = false
  /// The processes that have locked it.
  var holders: [Holder] = []
}

/// libnfc, and the program that runs it.
struct NFCState: Sendable {
  var program = ""
  var isProgramExecutable = false
  /// The devices that it found; nil when no response came in time.
  var devices: Result<[String], LinkError>?
  /// The content of libnfc.conf; nil when it cannot be read.
  var configuration: String?
  /// Environment variables that libnfc reads.
  var environment: [String: String] = [:]
}

extension BinaryInteger {
  /// The digits of a positive number, with zeros in front of short ones.
  func digits(radix: Int, width: Int) -> String {
    let digits = String(self, radix: radix)
    return String(repeating: "0", count: Swift.max(width - digits.count, 0)) + digits
  }
}
