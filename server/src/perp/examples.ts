// Values that examples of several operations show.

/** The public id of an order. */
export const ORDER_ID = '1030049889949000026'
