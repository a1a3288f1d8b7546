internal import Octets

/// The state of the exchange with a terminal, in 8 bytes that every command reads.
struct CardState: Sendable {
  /// No application is selected.
  static let idle = CardState()

  /// 0 before a selection, then that of the stage plus one.
  private var stageNumber: UInt8
  /// 0 before a selection, then the position of the application in the image plus one.
  private let applicationNumber: UInt8
  /// Whether the deadline of the arming was met in this exchange. An exchange that began in time may finish.
  var isInTime = false
  /// Whether a value of GET PROCESSING OPTIONS (tag 9F7E) showed that the terminal supports mobile devices.
  var isMobileSupported = false
  /// The application's records, which READ RECORD finds here without the image; empty before a selection.
  let records: ArenaSlice

  private init() { (stageNumber, applicationNumber, records) = (0, 0, ArenaSlice(offset: 0, count: 0)) }

  /// The state after the selection of an application.
  ///
  /// - Parameters:
  ///   - application: Its position in the image, 0...254.
  ///   - records: The table of its records.
  init(application: Int, records: ArenaSlice) {
    stageNumber = Self.number(of: .selected)
    applicationNumber = UInt8(application + 1)
    self.records = records
  }

  /// The position of the selected application, or nil.
  var application: Int? { applicationNumber == 0 ? nil : Int(applicationNumber) &- 1 }

  /// The position of the selected application, plus one; 0 without one.
  var tableIndex: Int { Int(applicationNumber) }

  /// Whether an application is selected whose records can be read.
  var isReadable: Bool { stageNumber >= Self.number(of: .initiated) }

  /// Whether an application is selected and the exchange with it is in a stage.
  @inline(__always)
  func isIn(_ stage: CardStage) -> Bool { stageNumber == Self.number(of: stage) }

  /// Goes on to a stage.
  mutating func move(to stage: CardStage) { stageNumber = Self.number(of: stage) }

  @inline(__always)
  private static func number(of stage: CardStage) -> UInt8 { stage.rawValue &+ 1 }
}
