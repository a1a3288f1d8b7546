/// The exchange with the application that a terminal has selected.
struct ApplicationExchange: Sendable {
  /// The position of the application in the image.
  let index: Int
  var stage = CardStage.selected
  /// Whether the deadline of the arming was met in this exchange. An exchange that began in time may finish.
  var isInTime = false
  /// Whether a value of GET PROCESSING OPTIONS (tag 9F7E) showed that the terminal supports mobile devices.
  var isMobileSupported = false

  /// Whether the records can be read.
  var isReadable: Bool { stage != .selected }
}
